// The thread around a worker: runs its step, goes on at once while there is
// more to do, else waits for the bell or the timer, which is a quarter longer
// or shorter at random, so that loops do not all wake at once, or until it is
// due. One catch: what a step throws is told once with its context, and the
// loop backs off and goes on.
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
  std::chrono::milliseconds interval{1'000};  // the timer underneath
  std::chrono::milliseconds max_back_off{5'000};
  // Asked after each step, by its thread: in how long there will be something
  // to do though nobody rings; nothing: not that it knew.
  std::function<std::optional<std::chrono::milliseconds>()> due_in = nullptr;
};

// What a loop has done so far, for those who watch.
struct LoopCounts {
  using Clock = std::chrono::steady_clock;

  sql::Durations::Counts runs = {};  // of the step, failed ones too
  std::uint64_t failures = 0;
  std::optional<std::chrono::system_clock::time_point> last_success = {};
  std::optional<Clock::time_point> running_since = {};  // the step under way
  std::optional<Clock::time_point> failing_since = {};  // without a success
};

class Loop {
 public:
  // True: there is more to do at once.
  using Step = std::function<bool()>;
  // Told once per kind of failure, and with an empty text when it is over.
  using OnFailure =
      std::function<void(const std::string& loop, const std::string& what)>;

  Loop(LoopOptions options, Step step, OnFailure on_failure);
  ~Loop();  // Stop()
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Start();
  void Stop();
  void Ring() { bell_.Ring(); }
  // It has nothing to do as far as it knows. Thread-safe.
  bool Idle() const { return idle_; }
  const std::string& name() const { return options_.name; }
  LoopCounts counts() const;

 private:
  void Run();
  bool RunStep();
  std::chrono::milliseconds UntilDue(std::chrono::milliseconds pause) const;

  const LoopOptions options_;
  const Step step_;
  const OnFailure on_failure_;
  Bell bell_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> idle_{false};

  // Nanoseconds of their clocks; 0: none.
  using Ticks = std::atomic<std::int64_t>;
  sql::Durations runs_;
  std::atomic<std::uint64_t> failures_{0};
  Ticks last_success_{0};
  Ticks running_since_{0};
  Ticks failing_since_{0};

  std::thread thread_;
};

}  // namespace fluxnetes::workers
