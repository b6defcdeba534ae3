// 7: a reservation never starts later because of a group ranked behind it.
#include <algorithm>
#include <chrono>

#include "tests/invariants/world.h"

namespace fluxnetes::testing {

using cluster::Resources;

bool World::Same(const World& other) const {
  if (queues != other.queues || accounts != other.accounts ||
      nodes.size() != other.nodes.size()) {
    return false;
  }
  for (const auto& [name, node] : nodes) {
    const auto then = other.nodes.find(name);
    if (then == other.nodes.end()) return false;
    cluster::Node same = *then->second;
    same.resource_version = node->resource_version;
    const auto others = [&name = name](const World& world) {
      const auto found = world.use.find(name);
      Resources sum;
      if (found == world.use.end()) return sum;
      sum += found->second.others;
      sum += found->second.adopted;
      return sum;
    };
    if (!(same == *node) || !(others(*this) == others(other))) return false;
  }
  return true;
}

// With accounts, groups of one priority that stay within their quota go first,
// which depends on current allocations.
bool World::IsBefore(const Group& group, const Group& head) const {
  if (group.id == head.id) return false;
  if (accounts.empty()) return group.Rank() < head.Rank();
  return std::tuple(!group.first_in_line, -group.priority) <=
         std::tuple(!head.first_in_line, -head.priority);
}

// Whether the delay of a reservation has another cause than groups ranked
// behind it.
bool World::Excused(const Group& head) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
                           truth.now.time_since_epoch())
                           .count();
  for (const auto& [id, allocation] : allocations) {
    const auto assumed = assumed_durations.find(allocation.queue);
    std::optional<std::int64_t> end = allocation.end;
    if (!end && assumed != assumed_durations.end()) {
      end = allocation.start + assumed->second;
    }
    if (end && *end <= seconds + 1) return true;
  }
  // The head of another queue may be ahead of this one. If it changed, or if
  // resources were released, it is planned anew, perhaps where this one was
  // reserved.
  const bool released = std::ranges::any_of(
      before->places,
      [&](const auto& place) { return !places.contains(place.first); });
  for (const auto& [id, promised] : reservations) {
    const auto then = before->reservations.find(id);
    const bool same = then != before->reservations.end() &&
                      then->second.start == promised.start;
    // A new owner plans the heads of all queues anew, each where it fits then.
    const bool anew = released || !same || terms != before->terms;
    if (anew && IsBefore(groups.at(id), head)) return true;
  }
  for (const auto& [id, group] : groups) {
    if (id == head.id) continue;
    const auto then = before->groups.find(id);
    // After a release a waiting group may be within its quota again and go
    // ahead of others.
    const bool lends = released && !accounts.empty() && group.Waits();
    const bool changed = lends || then == before->groups.end() ||
                         then->second.state != group.state ||
                         then->second.revision != group.revision ||
                         then->second.first_in_line != group.first_in_line;
    // A group that was sent back, because a binding failed or a member is
    // re-created without a held placement, goes first until it is placed again.
    const bool again =
        group.went_back >=
            std::chrono::microseconds(before->truth.now.time_since_epoch())
                .count() &&
        (then == before->groups.end() ||
         then->second.revision != group.revision);
    const bool ahead =
        again || IsBefore(group, head) ||
        (then != before->groups.end() && IsBefore(then->second, head));
    if (changed && ahead) return true;
  }
  return false;
}

void World::CheckReservations() {
  if (before == nullptr || !settled || !before->settled || !Same(*before)) {
    return;
  }
  for (const auto& [id, promised] : before->reservations) {
    const auto group = groups.find(id);
    if (group == groups.end() || group->second.state != "pending" ||
        group->second.revision != promised.revision || !promised.start) {
      continue;
    }
    const auto now = reservations.find(id);
    const bool slipped = now == reservations.end() || !now->second.start ||
                         *now->second.start > *promised.start;
    if (slipped && !Excused(group->second)) {
      Say(7, "the reservation of group {} was for {}, now for {}",
          group->second.name, *promised.start,
          now == reservations.end() ? 0 : now->second.start.value_or(0));
    }
  }
}
}  // namespace fluxnetes::testing
