// Shell commands: run to their end, or when this process ends.
#pragma once

#include <string>

namespace fluxnetes::testing {

// As one word of a command.
std::string Quoted(const std::string& word);

struct ScriptResult {
  int status = 0;    // of exit; -1: ended otherwise
  std::string said;  // on both outputs, without the last line's end
};

ScriptResult TryScript(const std::string& command);

// What it said on both outputs; throws std::runtime_error with it if it fails.
std::string RunScript(const std::string& command);

// Runs a command once, when this object or the process ends, however it ends.
class Lifeline {
 public:
  explicit Lifeline(const std::string& command);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

 private:
  int pipe_ = -1;  // the command's shell waits for it to close
};

}  // namespace fluxnetes::testing
