// A story in which groups of one queue evict others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {

// Queue "urgent" preempts.
class Preempting : public Story {
 public:
  explicit Preempting(QueuePolicy policy = QueuePolicy::kEasy) {
    urgent.name = "urgent";
    urgent.queue_policy = policy;
    urgent.preemption = Preemption::kLowerPriority;
    schedule.SetQueue(urgent);
  }

  GroupId Urgent(const std::string& pods, GroupOptions options = {}) {
    options.queue = "urgent";
    if (options.priority == 0) options.priority = 10;
    return Group(pods, options);
  }

  // Decides until nothing more follows at this time.
  std::string Decide(matcher::Time now) {
    std::string placed = Story::Decide(now);
    std::vector<Eviction> evicted = decision.evicted;
    while (schedule.More()) {
      const std::string more = Story::Decide(now);
      placed += (placed.empty() || more.empty() ? "" : ", ") + more;
      evicted.insert(evicted.end(), decision.evicted.begin(),
                     decision.evicted.end());
    }
    decision.evicted = std::move(evicted);
    return placed;
  }

  QueueSettings urgent;
};

}  // namespace fluxnetes::workers
