// Events about the jobs that this process ran, published to subscribers once
// their results are committed. A subscriber takes events at its own pace;
// events beyond its capacity are dropped and counted, so that a slow subscriber
// neither delays work nor fills memory.
//
// Thread-safe.
// Tests: tests/queue/runner/hooks_pgtest.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

enum class EventKind {
  kCompleted,
  kFailed,  // will be retried
  kSnoozed,
  kCancelled,
  kDiscarded,
  kLost  // its result was refused: the lease was lost
};

struct Event {
  EventKind kind = EventKind::kCompleted;
  Job job = {};
  std::string error = {};
  std::chrono::microseconds waited{};    // from lease to start of the work
  std::chrono::microseconds ran{};       // from start to end
  std::chrono::microseconds recorded{};  // from end to commit of the result
};

class Subscription {
 public:
  explicit Subscription(std::size_t capacity) : capacity_(capacity) {}

  // Returns the next event; nothing if none came in time.
  std::optional<Event> Next(std::chrono::milliseconds patience)
      EXCLUDES(mutex_);

  // The number of events that exceeded the capacity.
  std::int64_t dropped() const EXCLUDES(mutex_);

 private:
  friend class EventStream;
  void Push(const Event& event) EXCLUDES(mutex_);

  const std::size_t capacity_;
  mutable sql::Mutex mutex_;
  sql::ConditionVariable arrived_;
  std::deque<Event> events_ GUARDED_BY(mutex_);
  std::int64_t dropped_ GUARDED_BY(mutex_) = 0;
};

class EventStream {
 public:
  // The subscription lasts as long as the caller keeps it.
  std::shared_ptr<Subscription> Subscribe(std::size_t capacity)
      EXCLUDES(mutex_);

  bool HasSubscribers() EXCLUDES(mutex_);
  void Publish(const Event& event) EXCLUDES(mutex_);

 private:
  sql::Mutex mutex_;
  // Weak: the subscribers own the subscriptions.
  std::vector<std::weak_ptr<Subscription>> subscriptions_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::queue
