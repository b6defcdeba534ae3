// A program in a process of its own that a test may kill. Its output goes to a
// file; the process is killed with this object or the thread that started it.
//
//   Process serve({kFluxnetes, "serve"}, {{"FLUXNETES_SCHEMA", "s"}}, log);
//   serve.Kill();
//   EXPECT_EQ(serve.WaitForEnd(seconds(1)), -SIGKILL);
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fluxnetes::testing {

class Process {
 public:
  // The environment is this process's, overridden by `environment`; output is
  // appended to the file `log`.
  Process(const std::vector<std::string>& command,
          const std::map<std::string, std::string>& environment,
          const std::string& log);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }

  void Signal(int signal) const;
  // Sends SIGKILL; returns when the process is gone.
  void Kill();

  // Returns the exit status, or -signal if a signal ended it; nothing: it runs.
  std::optional<int> WaitForEnd(std::chrono::milliseconds patience);
  bool HasEnded();
  // Whether SIGSTOP has taken effect.
  bool HasStopped() const;

 private:
  pid_t id_ = -1;
  std::optional<int> ended_;
};

// Polls `holds` every few milliseconds until it is true; false: it never was.
template <typename Condition>
bool WaitUntil(std::chrono::milliseconds patience, Condition holds);

void PauseBetweenLooks();

template <typename Condition>
bool WaitUntil(std::chrono::milliseconds patience, Condition holds) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    PauseBetweenLooks();
  }
  return true;
}

}  // namespace fluxnetes::testing
