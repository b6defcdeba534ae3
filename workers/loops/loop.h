// The thread around a worker. It runs the worker's step, again at once while
// there is more to do; otherwise it waits for the bell, the time that the step
// is due, or the timer. The timer varies at random by a quarter, so that loops
// do not all wake at once. It has the one catch: an exception of the step is
// reported once with its context, and the loop backs off and goes on.
//
// Start() and Stop() from one thread; stopping twice is fine. Ring() from any.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "sql/durations.h"
#include "workers/loops/bell.h"

namespace fluxnetes::workers {

struct LoopOptions {
  std::string name;
  std::chrono::milliseconds interval{1'000};  // of the timer
  std::chrono::milliseconds max_back_off{5'000};
  // Called after each step, on the loop's thread: the time until there is work
  // without a ring; nothing: unknown.
  std::function<std::optional<std::chrono::milliseconds>()> due_in = nullptr;
};

// What a loop has done so far, for metrics and health checks.
struct LoopCounts {
  using Clock = std::chrono::steady_clock;

  sql::Durations::Counts runs = {};  // of the step, including failed ones
  std::uint64_t failures = 0;
  std::optional<std::chrono::system_clock::time_point> last_success = {};
  std::optional<Clock::time_point> running_since = {};  // the step under way
  // The first failure since the last success.
  std::optional<Clock::time_point> failing_since = {};
  std::optional<Clock::duration> took = {};  // the last step
  // How late the last step began: after the bell rang, or after it was due.
  std::optional<Clock::duration> lag = {};
};

class Loop {
 public:
  // Returns true if there is more to do at once.
  using Step = std::function<bool()>;
  // Called once per kind of failure, and with an empty text when the failures
  // end.
  using OnFailure =
      std::function<void(const std::string& loop, const std::string& what)>;

  Loop(LoopOptions options, Step step, OnFailure on_failure);
  ~Loop();  // Stop()
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Start();
  void Stop();
  void Ring();
  // True if the loop knows of no work. Thread-safe.
  bool Idle() const { return idle_; }
  const std::string& name() const { return options_.name; }
  LoopCounts counts() const;

 private:
  void Run();
  bool RunStep();
  void NoteLag(std::int64_t begin);
  std::chrono::milliseconds UntilDue(std::chrono::milliseconds pause) const;

  const LoopOptions options_;
  const Step step_;
  const OnFailure on_failure_;
  Bell bell_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> idle_{false};

  // Nanoseconds of the respective clock; 0: none.
  using Ticks = std::atomic<std::int64_t>;
  sql::Durations runs_;
  std::atomic<std::uint64_t> failures_{0};
  Ticks last_success_{0};
  Ticks running_since_{0};
  Ticks failing_since_{0};
  Ticks rang_at_{0};  // the first ring that no step has answered
  Ticks due_at_{0};
  std::atomic<std::int64_t> took_{-1};  // nanoseconds; -1: no step has ended
  std::atomic<std::int64_t> lag_{-1};

  std::thread thread_;
};

}  // namespace fluxnetes::workers
