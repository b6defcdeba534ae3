// Timers in order of due time, then of insertion.
//
// Not thread-safe.
// Tests: tests/cluster/simulated/simulated_kubelet_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

struct Timer {
  enum class Kind : std::uint8_t {
    kAdmit,    // a kubelet checks a pod that was given its node
    kRunEnds,  // the containers of a pod end
    kPodDeadline,
    kGone,     // the grace period of a deleted pod is over
    kCollect,  // a pod whose node does not exist is garbage-collected
    kSyncJob,
    kJobDeadline,
    kJobExpires  // ttlSecondsAfterFinished is over
  };
  Time due{};
  std::uint64_t sequence = 0;
  Kind kind = Kind::kAdmit;
  // A pod's timer: slot, generation, epoch. A Job's: its number.
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t epoch = 0;
  std::uint64_t job = 0;

  bool operator>(const Timer& other) const {
    return std::tie(due, sequence) > std::tie(other.due, other.sequence);
  }
};

class TimerQueue {
 public:
  void Add(Timer timer) {
    timer.sequence = next_++;
    timers_.push(timer);
  }
  bool Empty() const { return timers_.empty(); }
  const Timer& First() const { return timers_.top(); }
  void RemoveFirst() { timers_.pop(); }

 private:
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::uint64_t next_ = 0;
};

}  // namespace fluxnetes::cluster
