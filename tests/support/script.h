// Shell commands: run to completion, or at the end of this process.
#pragma once

#include <string>

namespace fluxnetes::testing {

// Quotes it as one word of a command.
std::string Quoted(const std::string& word);

struct ScriptResult {
  int status = 0;    // exit status; -1: ended otherwise
  std::string said;  // both outputs, without the final newline
};

ScriptResult TryScript(const std::string& command);

// Returns both outputs; throws std::runtime_error with them if it fails.
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
