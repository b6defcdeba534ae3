// What groups hold of the nodes: booking it, giving it back, and whose it is.
#include <algorithm>
#include <set>
#include <utility>

#include "sql/faults.h"
#include "workers/graph/schedule_graph.h"

namespace fluxnetes::workers {

namespace {

// Empty if none of them has anything inside of its node.
std::vector<std::string> PartsOf(const std::vector<PlacedMember>& members) {
  std::vector<std::string> parts;
  if (std::ranges::all_of(members, &std::string::empty, &PlacedMember::parts) ||
      sql::BugPlanted("inside-forgotten"))
    return parts;
  for (const PlacedMember& member : members) parts.push_back(member.parts);
  return parts;
}

// Empty if none of them has devices.
std::vector<std::string> DevicesOf(const std::vector<PlacedMember>& members) {
  std::vector<std::string> devices;
  if (std::ranges::all_of(members, &std::string::empty,
                          &PlacedMember::devices) ||
      sql::BugPlanted("devices-forgotten"))
    return devices;
  for (const PlacedMember& member : members) devices.push_back(member.devices);
  return devices;
}

}  // namespace

matcher::Time ScheduleGraph::PlannedEnd(const Held& held) const {
  if (held.end) return *held.end;
  const auto assumed = assumed_.find(held.queue);
  if (assumed == assumed_.end() ||
      assumed->second >= matcher::kForever - held.start) {
    return matcher::kForever;
  }
  return held.start + assumed->second;
}

void ScheduleGraph::SetAssumedDuration(const std::string& queue,
                                       std::optional<std::int64_t> seconds) {
  const auto before = assumed_.find(queue);
  const bool same =
      before == assumed_.end() ? !seconds : seconds == before->second;
  if (same) return;
  if (seconds) {
    assumed_[queue] = *seconds;
  } else {
    assumed_.erase(queue);
  }
  for (auto& [group, holding] : holdings_.by_group()) {
    if (holding.held.queue != queue || holding.held.end) continue;
    graph_.Cancel(group);
    Book(holding);
    for (const PlacedMember& member : holding.held.members) {
      Grow(InGraph(member.node).index);
      changes_.changed.push_back(InGraph(member.node).index);
    }
    for (const matcher::PoolNeed& need : HeldOf(holding.held.pools)) {
      Grow(need.pool);
      changes_.changed.push_back(need.pool);
    }
    holdings_.Touch(group);
  }
}

void ScheduleGraph::Book(Holding& holding) {
  holdings_.Compact(holding);
  const Held& held = holding.held;
  std::vector<std::vector<std::int64_t>> amounts;
  std::vector<matcher::RulesId> rules;
  for (const PlacedMember& member : held.members) {
    amounts.push_back(HeldOfNode(member));
    rules.push_back(requests_.Rules(member.request));
  }
  const std::vector<std::string> parts = PartsOf(held.members);
  std::vector<matcher::ShapeId> insides;
  if (!parts.empty())
    for (const PlacedMember& member : held.members)
      insides.push_back(requests_.Inside(member.request));
  graph_.Restore(held.group, held.start, PlannedEnd(held), holding.nodes,
                 amounts, rules,
                 {held.sharing.whole_nodes, HolderOf(held.group, held),
                  held.sharing.aside},
                 parts, HeldOf(held.pools), insides, DevicesOf(held.members));
  if (parts.empty()) return;
  for (const matcher::NodeIndex node : holding.nodes)
    if (!by_index_[node]->admitted.empty()) MarkAdmitted(*by_index_[node]);
}

bool ScheduleGraph::HasGrown(const PlacedMember& member) const {
  return nodes_.at(member.node).grown.contains(member.uid);
}

std::vector<std::int64_t> ScheduleGraph::HeldOfNode(
    const PlacedMember& member) const {
  std::vector<std::int64_t> amounts = requests_.Amounts(member.request);
  if (!HasGrown(member)) return amounts;
  const auto& more = nodes_.at(member.node).grown.at(member.uid);
  amounts.resize(std::max(amounts.size(), more.size()));
  for (std::size_t r = 0; r < more.size(); ++r)
    amounts[r] = std::min(amounts[r] + more[r], matcher::kMaxAmount);
  return amounts;
}

void ScheduleGraph::Relabel(GroupId group, const PodOf& pod_of) {
  Holding* holding = holdings_.Find(group);
  if (holding == nullptr) return;
  bool differs = false;
  for (PlacedMember& member : holding->held.members) {
    if (member.uid.empty()) continue;
    const cluster::PodPointer pod = pod_of(member.uid);
    if (pod == nullptr) continue;
    const auto* request =
        requests_.Of(member.request, pod->namespace_name, pod->labels);
    differs |= request != member.request;
    member.request = request;
  }
  if (!differs) return;
  graph_.Cancel(group);
  Book(*holding);
}

void ScheduleGraph::RelabelAll(const PodOf& pod_of) {
  std::vector<GroupId> groups;
  for (const auto& [group, holding] : holdings_.by_group())
    groups.push_back(group);
  for (const GroupId group : groups) Relabel(group, pod_of);
}

std::optional<GroupId> ScheduleGraph::Mislabelled(const cluster::Pod& pod) {
  const auto place = holdings_.PlaceOf(pod.uid);
  if (!place) return std::nullopt;
  const Held& held = holdings_.at(place->group).held;
  const auto* request = held.members[place->position].request;
  if (requests_.Of(request, pod.namespace_name, pod.labels) == request) {
    return std::nullopt;
  }
  return held.group;
}

std::vector<std::int64_t> ScheduleGraph::AmountsOf(const Held& held) const {
  std::vector<std::int64_t> sum(graph_.resources().size());
  const auto add = [&sum](const std::vector<std::int64_t>& amounts) {
    for (std::size_t r = 0; r < amounts.size(); ++r) sum[r] += amounts[r];
  };
  std::set<std::string> shared;  // claims that are counted
  for (const PlacedMember& member : held.members) {
    if (member.uid.empty()) continue;
    add(requests_.Counted(member.request));
    for (const auto& [claim, amounts] : requests_.Shared(member.request))
      if (shared.insert(claim).second) add(amounts);
  }
  for (const auto& [name, amount] : held.pools)
    sum[graph_.ResourceOfPool(pools_.at(name).index)] += amount;
  return sum;
}

void ScheduleGraph::Note(Held noted, std::vector<matcher::NodeIndex> nodes) {
  for (const matcher::NodeIndex node : nodes) ++by_index_[node]->places;
  // What a group of another component holds of pools is known by itself.
  if (noted.of_another_component) noted.pools.clear();
  for (const auto& [name, amount] : noted.pools) PoolInGraph(name);
  evictions_.Add(holdings_.Add(std::move(noted), std::move(nodes)).held);
}

void ScheduleGraph::Hold(const Held& held) {
  Release(held.group, "");
  if (held.members.empty()) return;
  for (const PlacedMember& member : held.members) {
    if (const auto other = holdings_.PlaceOf(member.uid))
      Release(other->group, member.uid);
  }
  std::vector<matcher::NodeIndex> nodes;
  for (const PlacedMember& member : held.members)
    nodes.push_back(InGraph(member.node).index);
  changes_.changed.insert(changes_.changed.end(), nodes.begin(), nodes.end());
  for (const matcher::PoolNeed& need : HeldOf(held.pools))
    changes_.changed.push_back(need.pool);
  Note(held, std::move(nodes));
  Book(holdings_.at(held.group));
}

const Held& ScheduleGraph::HoldMore(GroupId group,
                                    const std::vector<PlacedMember>& more) {
  holdings_.Touch(group);
  Holding& holding = holdings_.at(group);
  for (const PlacedMember& member : more) {
    KnownNode& node = InGraph(member.node);
    holdings_.AddMember(holding, member, node.index);
    ++node.places;
  }
  holding.held.evictable = holding.places >= holding.held.size;
  evictions_.Add(holding.held);
  graph_.Cancel(group);
  Book(holding);
  return holding.held;
}

bool ScheduleGraph::Release(GroupId group, const std::string& uid) {
  Holding* holding = holdings_.Find(group);
  if (holding == nullptr) return false;
  if (uid.empty()) {
    ReleaseAll(*holding);
    return true;
  }
  const auto place = holdings_.PlaceOf(uid);
  if (!place || place->group != group) return false;
  const matcher::NodeIndex node = holding->nodes[place->position];
  const matcher::Time until = holding->held.end.value_or(matcher::kForever);
  const bool more = holding->held.sharing.whole_nodes ||
                    HasGrown(holding->held.members[place->position]);
  graph_.Release(group, place->position);
  const auto* request = holdings_.RemovePlace(*place);
  NoteGone(*holding);
  if (holding->places == 0) {
    LeavePools(holding->held, until);
    Forget(*holding);
  }
  LeaveNode(node, until, more ? nullptr : request);
  return true;
}

void ScheduleGraph::ReleaseAll(Holding& holding) {
  const matcher::Time until = holding.held.end.value_or(matcher::kForever);
  const bool whole = holding.held.sharing.whole_nodes;
  graph_.Cancel(holding.held.group);
  NoteGone(holding);
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
    const PlacedMember& member = holding.held.members[i];
    if (member.uid.empty()) continue;
    const bool more = whole || HasGrown(member);
    LeaveNode(holding.nodes[i], until, more ? nullptr : member.request);
  }
  LeavePools(holding.held, until);
  Forget(holding);
}

// Some of it was given back.
void ScheduleGraph::NoteGone(Holding& holding) {
  const Held& held = holding.held;
  holdings_.Touch(held.group);
  const bool expected = std::exchange(holding.held.evictable, false) &&
                        !evictions_.WasSpared(held.group);
  evictions_.NoteLess(held, expected);
}

void ScheduleGraph::Grow(matcher::NodeIndex node, matcher::Time until) {
  changes_.grown.push_back(node);
  changes_.since = std::min(changes_.since, until);
  changes_.until = std::max(changes_.until, until);
}

void ScheduleGraph::LeaveNode(matcher::NodeIndex index, matcher::Time until,
                              const cluster::PodRequest* request) {
  KnownNode& node = *by_index_[index];
  const std::size_t resources = graph_.resources().size();
  if (request != nullptr &&
      changes_.more.size() == changes_.grown.size() * resources) {
    const auto& amounts = requests_.Amounts(request);
    changes_.more.insert(changes_.more.end(), amounts.begin(), amounts.end());
    changes_.more.resize((changes_.grown.size() + 1) * resources);
  }
  Grow(index, until);
  --node.places;
  Forget(node);
}

void ScheduleGraph::Forget(const Holding& over) {
  evictions_.Remove(over.held);
  holdings_.Remove(over.held.group);
}

std::vector<matcher::NodeIndex> ScheduleGraph::IndicesOf(GroupId group) const {
  std::vector<matcher::NodeIndex> indices;
  for (const std::string& node : holdings_.NodesOf(group))
    indices.push_back(nodes_.at(node).index);
  if (const Held* held = holdings_.HeldBy(group)) {
    for (const auto& [name, amount] : held->pools)
      indices.push_back(pools_.at(name).index);
  }
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::vector<matcher::NodeIndex> ScheduleGraph::PlacesOf(GroupId group) const {
  std::vector<matcher::NodeIndex> places;
  const auto add = [&](GroupId of) {
    const Holding* holding = holdings_.Find(of);
    if (holding == nullptr) return;
    for (std::size_t i = 0; i < holding->nodes.size(); ++i)
      if (!holding->held.members[i].uid.empty())
        places.push_back(holding->nodes[i]);
  };
  add(group);
  for (const GroupId extending : holdings_.Extending(group)) add(extending);
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<matcher::NodeIndex> ScheduleGraph::UncountedPlacesOf(
    GroupId group) const {
  std::vector<matcher::NodeIndex> places;
  const Holding* holding = holdings_.Find(group);
  if (holding == nullptr) return places;
  for (std::size_t i = 0; i < holding->nodes.size(); ++i) {
    const PlacedMember& member = holding->held.members[i];
    if (!member.uid.empty() && member.request->rules->topology.uncounted)
      places.push_back(holding->nodes[i]);
  }
  return places;
}

std::map<matcher::NodeIndex, std::vector<double>>
ScheduleGraph::HeldWithoutEnd() const {
  std::map<matcher::NodeIndex, std::vector<double>> held;
  for (const auto& [group, holding] : holdings_.by_group()) {
    if (PlannedEnd(holding.held) != matcher::kForever) continue;
    for (const PlacedMember& member : holding.held.members) {
      if (member.uid.empty()) continue;
      auto& sums = held[nodes_.at(member.node).index];
      const auto amounts = HeldOfNode(member);
      if (sums.size() < amounts.size()) sums.resize(amounts.size());
      for (std::size_t r = 0; r < amounts.size(); ++r) {
        sums[r] += static_cast<double>(amounts[r]);
      }
    }
  }
  return held;
}

bool ScheduleGraph::AnyOverdue(const std::vector<matcher::NodeIndex>& nodes,
                               matcher::Time now) const {
  const std::set<matcher::NodeIndex> among(nodes.begin(), nodes.end());
  return std::ranges::any_of(holdings_.by_group(), [&](const auto& each) {
    const Held& held = each.second.held;
    return PlannedEnd(held) <= now &&
           (std::any_of(held.members.begin(), held.members.end(),
                        [&](const PlacedMember& member) {
                          return !member.uid.empty() &&
                                 among.contains(nodes_.at(member.node).index);
                        }) ||
            std::ranges::any_of(held.pools, [&](const auto& pool) {
              return among.contains(pools_.at(pool.first).index);
            }));
  });
}

}  // namespace fluxnetes::workers
