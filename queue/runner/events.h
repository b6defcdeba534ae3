// What became of the jobs that this process ran, told to whoever subscribed,
// after it was committed. A subscriber takes events when it likes; what it
// leaves lying beyond its capacity is dropped and counted, so that it can
// neither hold up the work nor fill the memory.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "queue/jobs/job.h"

namespace fluxnetes::queue {

enum class EventKind {
  kCompleted,
  kFailed,  // will be tried again
  kSnoozed,
  kCancelled,
  kDiscarded,
  kLost  // its result was refused: the lease had been lost
};

struct Event {
  EventKind kind = EventKind::kCompleted;
  Job job = {};
  std::string error = {};
  std::chrono::microseconds waited{};    // from its lease to its beginning
  std::chrono::microseconds ran{};       // to its end
  std::chrono::microseconds recorded{};  // to the commit of its result
};

class Subscription {
 public:
  explicit Subscription(std::size_t capacity) : capacity_(capacity) {}

  // The next event; nothing if none came in time.
  std::optional<Event> Next(std::chrono::milliseconds patience);

  // How many did not fit.
  std::int64_t dropped() const;

 private:
  friend class EventStream;
  void Push(const Event& event);

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  // Protected by mutex_.
  std::deque<Event> events_;
  std::int64_t dropped_ = 0;
};

class EventStream {
 public:
  // Ends when the caller lets go of it.
  std::shared_ptr<Subscription> Subscribe(std::size_t capacity);

  bool HasSubscribers();
  void Publish(const Event& event);

 private:
  std::mutex mutex_;
  // Protected by mutex_. Weak: they are their subscribers'.
  std::vector<std::weak_ptr<Subscription>> subscriptions_;
};

}  // namespace fluxnetes::queue
