// 3: grants and others' use stay within what a node has.
// 4: the graph in memory equals the one rebuilt from the records.
#include <algorithm>

#include "tests/invariants/world.h"
#include "workers/schedule.h"

namespace fluxnetes::testing {

using cluster::Resources;

void World::CheckCapacity() {
  for (const auto& [name, node] : nodes) {
    const auto free_of = [&name = name](const World& world) {
      return ByName(world.nodes.at(name)->allocatable);
    };
    const bool known = before != nullptr && before->nodes.contains(name);
    if (known && !(synced && before->synced)) continue;
    const auto use_of = [&name = name](const World& world,
                                       Resources Use::*which) {
      const auto found = world.use.find(name);
      return ByName(found == world.use.end() ? Resources{}
                                             : found->second.*which);
    };
    const auto has = free_of(*this);
    const auto others_of = [&use_of](const World& world,
                                     const std::string& resource) {
      return AmountOf(use_of(world, &Use::others), resource) +
             AmountOf(use_of(world, &Use::adopted), resource);
    };
    for (const auto& [resource, used] : use_of(*this, &Use::all)) {
      const std::int64_t excess = used - AmountOf(has, resource);
      std::int64_t allowed = known ? 0 : others_of(*this, resource);
      if (known) {
        const auto had = AmountOf(free_of(*before), resource);
        const auto was = AmountOf(use_of(*before, &Use::all), resource);
        const auto theirs = others_of(*before, resource);
        allowed =
            std::max<std::int64_t>(0, was - had) +
            std::max<std::int64_t>(0, had - AmountOf(has, resource)) +
            std::max<std::int64_t>(0, others_of(*this, resource) - theirs);
      }
      if (excess > allowed) {
        Say(3, "node {} has {} {}, but {} is given out or used", name,
            AmountOf(has, resource), resource, used);
      }
    }
  }
}

void World::CheckGraph() {
  std::string picture;
  for (const SchedulerProcess* process : scene.Processes()) {
    const std::string one = process->match.Describe();
    if (!picture.empty() && !one.empty()) Say(5, "two own the match");
    if (!one.empty()) picture = one;
  }
  if (!settled || picture.empty()) return;
  workers::Schedule rebuilt;
  for (const auto& [name, seconds] : assumed_durations) {
    workers::QueueSettings queue;
    queue.name = name;
    queue.assumed_duration = seconds;
    rebuilt.SetQueue(queue);
  }
  for (const auto& [name, node] : nodes) {
    rebuilt.SetNode(*node);
    const auto used = use.find(name);
    if (used != use.end()) rebuilt.SetForeign(name, used->second.others);
  }
  std::map<Id, workers::Held> held;
  for (const auto& [uid, place] : places) {
    const Allocation& allocation = allocations.at(place.group);
    workers::Held& group = held[place.group];
    group.group = place.group;
    group.start = allocation.start;
    group.end = allocation.end;
    group.queue = allocation.queue;
    cluster::PodRequest request;
    request.resources = place.amounts;
    group.members.push_back(
        {uid, place.node, rebuilt.Intern(cluster::ToJson(request))});
  }
  for (const auto& [id, group] : held) rebuilt.Restore(group);
  const std::string expected = rebuilt.Describe();
  if (picture != expected) {
    Say(4, "the graph in memory is\n{}but the records say\n{}", picture,
        expected);
  }
}
}  // namespace fluxnetes::testing
