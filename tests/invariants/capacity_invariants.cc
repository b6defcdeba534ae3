// 3: allocations and usage by others stay within what a node has.
// 4: the graph in memory equals the one rebuilt from the records.
#include <fmt/ranges.h>

#include <algorithm>

#include "cluster/json/request_json.h"
#include "tests/invariants/world.h"
#include "workers/labels/device_counts.h"
#include "workers/schedule/schedule.h"

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
      // Nodes have devices by name, not by class.
      if (!workers::ClassCountedBy(resource).empty()) continue;
      const std::int64_t excess = used - AmountOf(has, resource);
      std::int64_t allowed = known ? 0 : others_of(*this, resource);
      // A node that returns may be smaller than its remaining usage.
      if (!known && before != nullptr)
        allowed += AmountOf(use_of(*before, &Use::all), resource);
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
  std::set<std::string> owned;  // queues
  const auto processes = scene.Processes();
  for (const SchedulerProcess* process : processes) {
    for (const auto& [component, picture] : process->match.Describe()) {
      for (const std::string& queue : component) {
        if (!owned.insert(queue).second) {
          Say(5, "two own the match of queue {}", queue);
        }
      }
      if (!settled) continue;
      const std::string expected = Rebuild(component);
      if (picture != expected) {
        Say(4, "the graph of {} in memory is\n{}but the records say\n{}",
            fmt::join(component, ","), picture, expected);
      }
    }
  }
  if (!settled || processes.empty()) return;
  for (const auto& [queue, selector] : selectors) {
    if (!owned.contains(queue)) Say(4, "nobody owns the match of {}", queue);
    for (const auto& [name, node] : nodes) {
      if (cluster::Selects(selector, *node) && !claims.contains(name)) {
        Say(4, "node {} is in no component, but queue {} selects it", name,
            queue);
      }
    }
  }
}

namespace {

// What the queues of one component have.
struct Component {
  const World& world;
  const std::vector<std::string>& queues;

  bool Owns(const std::string& queue) const {
    return std::ranges::find(queues, queue) != queues.end();
  }
  bool Has(const std::string& node) const {
    const auto claim = world.claims.find(node);
    return claim != world.claims.end() && Owns(claim->second);
  }
};

void PutQueuesAndPools(const Component& component,
                       workers::Schedule& schedule) {
  for (const auto& [name, seconds] : component.world.assumed_durations) {
    if (!component.Owns(name)) continue;
    workers::QueueSettings queue;
    queue.name = name;
    queue.assumed_duration = seconds;
    schedule.SetQueue(queue);
  }
  std::vector<workers::Pool> pools;
  for (const auto& [name, total] : component.world.pool_totals)
    pools.push_back({name, total});
  schedule.SetPools(pools);
}

void PutNodes(const Component& component, workers::Schedule& schedule) {
  const World& world = component.world;
  std::map<std::string, Resources> unmanaged;
  std::map<std::string, int> occupants;
  for (const auto& [uid, pod] : world.pods) {
    if (!Lives(*pod) || pod->node_name.empty()) continue;
    if (world.covered.contains(uid)) continue;
    const auto place = world.places.find(uid);
    if (place == world.places.end() || place->second.node != pod->node_name ||
        !component.Owns(world.allocations.at(place->second.group).queue)) {
      unmanaged[pod->node_name] += pod->request.resources;
      if (!cluster::BelongsToItsNode(*pod)) ++occupants[pod->node_name];
    }
  }
  for (const auto& [name, node] : world.nodes) {
    if (!component.Has(name)) continue;
    schedule.SetNode(*node);
    schedule.SetUnmanaged(name, unmanaged[name], {}, occupants[name]);
  }
}

}  // namespace

std::string World::Rebuild(const std::vector<std::string>& queues) const {
  const Component component{*this, queues};
  const auto is_seen = [&](const Place& place) {
    const auto pod = pods.find(place.uid);
    return pod != pods.end() && Lives(*pod->second) &&
           pod->second->node_name == place.node;
  };
  workers::Schedule rebuilt;
  PutQueuesAndPools(component, rebuilt);
  PutNodes(component, rebuilt);
  std::map<Id, workers::Held> held;
  for (const auto& [uid, place] : places) {
    const Allocation& allocation = allocations.at(place.group);
    if (!component.Owns(allocation.queue) &&
        (!component.Has(place.node) || is_seen(place)))
      continue;
    workers::Held& group = held[place.group];
    group.group = place.group;
    group.start = allocation.start;
    group.end = allocation.end;
    group.queue = allocation.queue;
    group.sharing = {allocation.whole_nodes, allocation.aside};
    group.pools = allocation.pools;
    group.of_another_component = !component.Owns(allocation.queue);
    const auto known = groups.find(place.group);
    if (known != groups.end()) group.extends = known->second.extends;
    cluster::PodRequest request;
    request.resources = place.amounts;
    group.members.push_back({uid, place.node,
                             rebuilt.Intern(cluster::ToJson(request)),
                             place.parts, place.devices});
  }
  for (const auto& [id, group] : held) rebuilt.Restore(group);
  return rebuilt.Describe();
}
}  // namespace fluxnetes::testing
