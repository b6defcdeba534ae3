#include "queue/runner/events.h"

#include <utility>

namespace fluxnetes::queue {

std::optional<Event> Subscription::Next(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const sql::MutexLock lock(mutex_);
  while (events_.empty() && arrived_.WaitUntil(mutex_, until)) {
  }
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::int64_t Subscription::dropped() const {
  const sql::MutexLock lock(mutex_);
  return dropped_;
}

void Subscription::Push(const Event& event) {
  const sql::MutexLock lock(mutex_);
  if (events_.size() >= capacity_) {
    ++dropped_;
    return;
  }
  events_.push_back(event);
  arrived_.NotifyOne();
}

std::shared_ptr<Subscription> EventStream::Subscribe(std::size_t capacity) {
  auto subscription = std::make_shared<Subscription>(capacity);
  const sql::MutexLock lock(mutex_);
  subscriptions_.push_back(subscription);
  return subscription;
}

bool EventStream::HasSubscribers() {
  const sql::MutexLock lock(mutex_);
  std::erase_if(subscriptions_, [](const auto& one) { return one.expired(); });
  return !subscriptions_.empty();
}

void EventStream::Publish(const Event& event) {
  const sql::MutexLock lock(mutex_);
  for (const auto& one : subscriptions_)
    if (const auto subscription = one.lock()) subscription->Push(event);
}

}  // namespace fluxnetes::queue
