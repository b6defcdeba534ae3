#include "cluster/kubernetes/watch_mailbox.h"

#include <utility>

namespace fluxnetes::cluster {
namespace {

constexpr std::size_t kMostBytesWaiting = std::size_t{4} << 20U;

}  // namespace

void WatchMailbox::Put(WatchLetter letter) {
  const sql::MutexLock lock(mutex_);
  bytes_ += letter.line.size();
  letters_.push_back(std::move(letter));
  arrived_.NotifyOne();
}

bool WatchMailbox::HasRoom() {
  const sql::MutexLock lock(mutex_);
  if (bytes_ < kMostBytesWaiting) return true;
  held_back_ = true;
  return false;
}

std::deque<WatchLetter> WatchMailbox::Take(
    int limit, std::chrono::steady_clock::time_point until) {
  const sql::MutexLock lock(mutex_);
  while (letters_.empty() && arrived_.WaitUntil(mutex_, until)) {
  }
  std::deque<WatchLetter> taken;
  while (!letters_.empty() && std::ssize(taken) < limit) {
    bytes_ -= letters_.front().line.size();
    taken.push_back(std::move(letters_.front()));
    letters_.pop_front();
  }
  return taken;
}

bool WatchMailbox::MayResume() {
  const sql::MutexLock lock(mutex_);
  if (!held_back_ || bytes_ > kMostBytesWaiting / 2) return false;
  held_back_ = false;
  return true;
}

}  // namespace fluxnetes::cluster
