// A program as a process of its own, to be killed. What it writes goes into a
// file; it dies when this object or the thread that started it does.
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
  // The environment is this process's with `environment` over it; what is
  // written is appended to the file `log`.
  Process(const std::vector<std::string>& command,
          const std::map<std::string, std::string>& environment,
          const std::string& log);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }

  void Signal(int signal) const;
  // SIGKILL; returns when it is gone.
  void Kill();

  // The exit status, or -signal if one ended it; nothing: it still runs.
  std::optional<int> WaitForEnd(std::chrono::milliseconds patience);
  bool HasEnded();
  // Whether SIGSTOP has taken effect.
  bool HasStopped() const;

 private:
  pid_t id_ = -1;
  std::optional<int> ended_;
};

// Until `holds` says true, asked every few milliseconds; false: it never did.
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
