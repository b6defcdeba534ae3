#include "workers/gates/min_resources_gate.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "workers/gates/renewed_group.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

// How the reasons begin that are said here.
constexpr const char* kWaitsForRoom = "waits for room in the cluster: ";

std::string Reason(const PendingGroup& group, const cluster::Resources& room) {
  return kWaitsForRoom + ("PodGroup " + group.namespace_name) + "/" +
         group.name + " wants " + cluster::Format(room) +
         " to be free in sum before it starts (minResources)";
}

}  // namespace

void MinResourcesGate::Clear() {
  wishes_.clear();
  verdicts_.clear();
}

// Nothing: its members ask for as much themselves.
std::optional<MinResourcesGate::Wish> MinResourcesGate::WishOf(
    const PendingGroup& group) const {
  if (group.members.empty()) return std::nullopt;
  const auto pod = cache_.PodByUid(group.members.front().uid);
  if (pod == nullptr) return std::nullopt;
  const auto source = CoschedulingGroupOf(*pod, cache_);
  if (source == nullptr || !source->min_resources) return std::nullopt;
  cluster::Resources asked;
  try {
    for (const Member& member : group.members)
      asked += member.request->resources;
  } catch (const std::overflow_error&) {  // more than any cluster has
    return std::nullopt;
  }
  if (asked.Holds(*source->min_resources)) return std::nullopt;
  return Wish{group, *source->min_resources};
}

cluster::Resources& MinResourcesGate::Rooms::Of(const std::string& queue) {
  const auto [place, added] = rooms.try_emplace(queue);
  if (added) place->second = schedule.Free(queue, now);
  return place->second;
}

std::optional<PendingGroup> MinResourcesGate::Put(PendingGroup group,
                                                  const Schedule& schedule) {
  Remove(group.id);
  auto wish = WishOf(group);
  if (!wish || !schedule.NodesOf(group.id).empty() ||
      schedule.OthersLeaveFor(group.id))
    return group;
  wishes_[group.id] = *std::move(wish);
  return std::nullopt;
}

void MinResourcesGate::Keep(Wish& wish) {
  wish.kept = wish.said = true;
  PendingGroup& group = wish.group;
  const std::string reason = Reason(group, wish.room);
  if (group.unsatisfiable || group.reason != reason)
    verdicts_[group.id] = {group.id, group.revision, false, reason, ""};
  group.unsatisfiable = false;
  group.reason = reason;
}

std::vector<PendingGroup> MinResourcesGate::LookAgain(Schedule& schedule,
                                                      matcher::Time now) {
  std::vector<PendingGroup> ready;
  Rooms rooms{schedule, now};
  for (auto& [id, wish] : wishes_) {
    if (!rooms.Of(wish.group.queue).Holds(wish.room)) {
      if (wish.kept ? !wish.said : schedule.Remove(id)) Keep(wish);
      continue;
    }
    if (!wish.kept) continue;
    auto group = Renewed(wish.group, cache_, schedule);
    if (!group) continue;
    wish.kept = wish.said = false;
    if (wish.group.reason.starts_with(kWaitsForRoom)) {
      verdicts_[id] = {id, group->revision, false, "", ""};
      group->reason.clear();
    }
    wish.group.reason.clear();
    ready.push_back(*std::move(group));
  }
  return ready;
}

// From the last one on: what was placed after a group was free before it.
void MinResourcesGate::HoldBack(Decision& decision, Schedule& schedule,
                                matcher::Time now) {
  for (const Eviction& eviction : decision.evicted)
    wishes_.erase(eviction.preemptor);
  if (wishes_.empty()) return;
  Rooms rooms{schedule, now};
  for (const auto& [id, wish] : wishes_) rooms.Of(wish.group.queue);
  for (std::size_t i = decision.placed.size(); i-- > 0;) {
    const Placed& placed = decision.placed[i];
    for (auto& [queue, room] : rooms.rooms) {
      for (const PlacedMember& member : placed.members) {
        if (!schedule.Uses(queue, member.node)) continue;
        const cluster::Resources& given = member.request->resources;
        cluster::AddUpTo(given, room, given);
      }
    }
    const auto found = wishes_.find(placed.group);
    if (found == wishes_.end()) continue;
    Wish& wish = found->second;
    if (rooms.Of(wish.group.queue).Holds(wish.room)) continue;
    schedule.Undo(placed);
    Keep(wish);
    decision.placed.erase(decision.placed.begin() +
                          static_cast<std::ptrdiff_t>(i));
  }
}

void MinResourcesGate::AddVerdicts(Decision& decision) {
  PutFirst(std::exchange(verdicts_, {}), decision);
}

}  // namespace fluxnetes::workers
