#include "workers/gates/hold_gate.h"

#include <limits>
#include <string>

#include "cluster/text/timestamp.h"
#include "workers/gates/renewed_group.h"

namespace fluxnetes::workers {
namespace {

// How the reasons begin that are said here.
constexpr const char* kStartsAfter = "starts after ";

std::string DeferralReason(matcher::Time time) {
  return kStartsAfter +
         cluster::FormatTimestamp(cluster::Time(std::chrono::seconds(time)));
}

}  // namespace

void HoldGate::Clear() {
  kept_.clear();
  due_.clear();
  start_by_.clear();
  verdicts_.clear();
  more_ = false;
}

void HoldGate::Remove(GroupId group) {
  start_by_.erase(group);
  const auto kept = kept_.find(group);
  if (kept == kept_.end()) return;
  due_.erase({*kept->second.start_after, group});
  kept_.erase(kept);
}

std::optional<PendingGroup> HoldGate::Put(PendingGroup group,
                                          matcher::Time now) {
  Remove(group.id);
  if (group.held) return std::nullopt;
  if (group.start_by && *group.start_by <= now) return std::nullopt;
  if (group.start_by) start_by_[group.id] = *group.start_by;
  const bool deferred = group.start_after && *group.start_after > now;
  const std::string reason = deferred ? DeferralReason(*group.start_after) : "";
  const bool was_deferred = group.reason.starts_with(kStartsAfter);
  if (deferred ? group.unsatisfiable || group.reason != reason : was_deferred) {
    verdicts_[group.id] = {group.id, group.revision, false, reason,
                           "",       deferred};
    group.unsatisfiable = false;
    group.reason = reason;
  }
  if (!deferred) return group;
  const GroupId id = group.id;
  due_.emplace(*group.start_after, id);
  kept_[id] = std::move(group);
  return std::nullopt;
}

std::vector<PendingGroup> HoldGate::TakeDue(Schedule& schedule,
                                            matcher::Time now, int limit) {
  std::vector<PendingGroup> ready;
  more_ = false;
  for (auto it = due_.begin(); it != due_.end() && it->first <= now;) {
    if (std::ssize(ready) == limit) {
      more_ = true;
      break;
    }
    const GroupId id = it->second;
    auto group = Renewed(kept_.at(id), cache_, schedule);
    if (!group) {
      ++it;
      continue;
    }
    verdicts_[id] = {id, group->revision, false, "", ""};
    group->reason.clear();
    ready.push_back(*std::move(group));
    kept_.erase(id);
    it = due_.erase(it);
  }
  return ready;
}

std::optional<matcher::Time> HoldGate::NextDue(matcher::Time after) const {
  const auto next =
      due_.upper_bound({after, std::numeric_limits<GroupId>::max()});
  if (next == due_.end()) return std::nullopt;
  return next->first;
}

void HoldGate::HoldBack(Decision& decision, Schedule& schedule,
                        matcher::Time now) {
  if (start_by_.empty()) return;
  std::erase_if(decision.placed, [&](const Placed& placed) {
    const auto by = start_by_.find(placed.group);
    if (by == start_by_.end() || by->second > now) return false;
    schedule.Undo(placed);
    return true;
  });
}

void HoldGate::AddVerdicts(Decision& decision) {
  PutFirst(std::exchange(verdicts_, {}), decision);
}

}  // namespace fluxnetes::workers
