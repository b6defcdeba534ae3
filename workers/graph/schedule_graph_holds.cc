// What groups hold of the nodes: booking it, giving it back, and whose it is.
#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "workers/graph/schedule_graph.h"

namespace fluxnetes::workers {

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
  for (auto& [group, holding] : holdings_) {
    if (holding.held.queue != queue || holding.held.end) continue;
    graph_.Cancel(group);
    Book(holding);
    for (const PlacedMember& member : holding.held.members) {
      Grow(InGraph(member.node).index);
      changes_.changed.push_back(InGraph(member.node).index);
    }
    touched_.push_back(group);
  }
}

void ScheduleGraph::Book(Holding& holding) {
  Held& held = holding.held;
  std::erase_if(held.members,
                [](const PlacedMember& member) { return member.uid.empty(); });
  std::vector<matcher::NodeIndex>& nodes = holding.nodes;
  nodes.clear();
  std::vector<std::vector<std::int64_t>> amounts;
  std::vector<matcher::RulesId> rules;
  for (const PlacedMember& member : held.members) {
    nodes.push_back(InGraph(member.node).index);
    amounts.push_back(requests_.Amounts(member.request));
    rules.push_back(requests_.Rules(member.request));
  }
  graph_.Restore(held.group, held.start, PlannedEnd(held), nodes, amounts,
                 rules);
  Index(holding);
}

void ScheduleGraph::Relabel(GroupId group, const PodOf& pod_of) {
  const auto found = holdings_.find(group);
  if (found == holdings_.end()) return;
  bool differs = false;
  for (PlacedMember& member : found->second.held.members) {
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
  Book(found->second);
}

void ScheduleGraph::RelabelAll(const PodOf& pod_of) {
  std::vector<GroupId> groups;
  for (const auto& [group, holding] : holdings_) groups.push_back(group);
  for (const GroupId group : groups) Relabel(group, pod_of);
}

std::optional<GroupId> ScheduleGraph::Mislabelled(const cluster::Pod& pod) {
  const auto place = places_.find(pod.uid);
  if (place == places_.end()) return std::nullopt;
  const Held& held = holdings_.at(place->second.group).held;
  const auto* request = held.members[place->second.position].request;
  if (requests_.Of(request, pod.namespace_name, pod.labels) == request) {
    return std::nullopt;
  }
  return held.group;
}

void ScheduleGraph::TouchAll() {
  for (const auto& [group, holding] : holdings_) touched_.push_back(group);
}

const Held* ScheduleGraph::HeldBy(GroupId group) const {
  const auto found = holdings_.find(group);
  return found == holdings_.end() ? nullptr : &found->second.held;
}

std::vector<std::int64_t> ScheduleGraph::AmountsOf(const Held& held) const {
  std::vector<std::int64_t> sum(graph_.resources().size());
  for (const PlacedMember& member : held.members) {
    if (member.uid.empty()) continue;
    const auto& amounts = requests_.Amounts(member.request);
    for (std::size_t r = 0; r < amounts.size(); ++r) sum[r] += amounts[r];
  }
  return sum;
}

void ScheduleGraph::Index(const Holding& holding) {
  if (!finds_pods_) return;
  int position = 0;
  for (const PlacedMember& member : holding.held.members) {
    places_[member.uid] = {holding.held.group, position++};
  }
}

void ScheduleGraph::Note(Held noted, std::vector<matcher::NodeIndex> nodes) {
  assert(!holdings_.contains(noted.group));
  touched_.push_back(noted.group);
  Holding& holding = holdings_[noted.group];
  holding.held = std::move(noted);
  holding.nodes = std::move(nodes);
  const Held& held = holding.held;
  holding.places = static_cast<int>(held.members.size());
  for (const matcher::NodeIndex node : holding.nodes) ++by_index_[node]->places;
  ranks_[held.priority].insert(held.group);
  came_[held.priority] = ++moves_;
  if (held.evicted_for != 0) evicted_for_[held.evicted_for].insert(held.group);
  Index(holding);
}

void ScheduleGraph::Hold(const Held& held) {
  Release(held.group, "");
  if (held.members.empty()) return;
  for (const PlacedMember& member : held.members) {
    const auto other = places_.find(member.uid);
    if (other != places_.end()) Release(other->second.group, member.uid);
  }
  std::vector<matcher::NodeIndex> nodes;
  for (const PlacedMember& member : held.members)
    nodes.push_back(InGraph(member.node).index);
  changes_.changed.insert(changes_.changed.end(), nodes.begin(), nodes.end());
  Note(held, std::move(nodes));
  Book(holdings_.at(held.group));
}

const Held& ScheduleGraph::HoldMore(GroupId group,
                                    const std::vector<PlacedMember>& more) {
  touched_.push_back(group);
  Holding& holding = holdings_.at(group);
  for (const PlacedMember& member : more) {
    holding.held.members.push_back(member);
    KnownNode& node = InGraph(member.node);
    holding.nodes.push_back(node.index);
    ++node.places;
    ++holding.places;
  }
  holding.held.evictable = holding.places >= holding.held.size;
  came_[holding.held.priority] = ++moves_;
  graph_.Cancel(group);
  Book(holding);
  return holding.held;
}

bool ScheduleGraph::Release(GroupId group, const std::string& uid) {
  const auto found = holdings_.find(group);
  if (found == holdings_.end()) return false;
  Holding& holding = found->second;
  if (uid.empty()) {
    ReleaseAll(found);
    return true;
  }
  const auto place = places_.find(uid);
  if (place == places_.end() || place->second.group != group) return false;
  const int position = place->second.position;
  const matcher::NodeIndex node = holding.nodes[position];
  const matcher::Time until = holding.held.end.value_or(matcher::kForever);
  const auto* request = holding.held.members[position].request;
  graph_.Release(group, position);
  places_.erase(place);
  holding.held.members[position].uid.clear();
  NoteGone(holding);
  if (--holding.places == 0) Forget(found);
  LeaveNode(node, until, request);
  return true;
}

void ScheduleGraph::ReleaseAll(Holdings::iterator found) {
  Holding& holding = found->second;
  const matcher::Time until = holding.held.end.value_or(matcher::kForever);
  graph_.Cancel(found->first);
  NoteGone(holding);
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
    const std::string& uid = holding.held.members[i].uid;
    if (uid.empty()) continue;
    if (finds_pods_) places_.erase(uid);
    LeaveNode(holding.nodes[i], until, holding.held.members[i].request);
  }
  Forget(found);
}

// Some of it was given back.
void ScheduleGraph::NoteGone(Holding& holding) {
  const Held& held = holding.held;
  if (touched_.empty() || touched_.back() != held.group)
    touched_.push_back(held.group);
  // Else no plan that came to nothing had counted on its end.
  if (!std::exchange(holding.held.evictable, false) || holding.stood)
    NoteGround();
  went_[held.priority] = ++moves_;
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
  if (changes_.more.size() == changes_.grown.size() * resources) {
    const auto& amounts = requests_.Amounts(request);
    changes_.more.insert(changes_.more.end(), amounts.begin(), amounts.end());
    changes_.more.resize((changes_.grown.size() + 1) * resources);
  }
  Grow(index, until);
  --node.places;
  Forget(node);
}

void ScheduleGraph::Forget(Holdings::iterator over) {
  const Held& held = over->second.held;
  const auto leave = [&held](auto& sets, const auto& key) {
    const auto set = sets.find(key);
    if (set == sets.end()) return;
    set->second.erase(held.group);
    if (set->second.empty()) sets.erase(set);
  };
  leave(ranks_, held.priority);
  leave(evicted_for_, held.evicted_for);
  holdings_.erase(over);
}

std::optional<std::string> ScheduleGraph::NodeOf(const std::string& uid) const {
  const auto place = places_.find(uid);
  if (place == places_.end()) return std::nullopt;
  const Holding& holding = holdings_.at(place->second.group);
  return holding.held.members[place->second.position].node;
}

const cluster::Resources* ScheduleGraph::GrantOf(const std::string& uid) const {
  const auto place = places_.find(uid);
  if (place == places_.end()) return nullptr;
  const Holding& holding = holdings_.at(place->second.group);
  return &holding.held.members[place->second.position].request->resources;
}

std::vector<std::string> ScheduleGraph::NodesOf(GroupId group) const {
  const auto found = holdings_.find(group);
  if (found == holdings_.end()) return {};
  std::set<std::string> nodes;
  for (const PlacedMember& member : found->second.held.members)
    if (!member.uid.empty()) nodes.insert(member.node);
  return {nodes.begin(), nodes.end()};
}

std::vector<matcher::NodeIndex> ScheduleGraph::IndicesOf(GroupId group) const {
  std::vector<matcher::NodeIndex> indices;
  for (const std::string& node : NodesOf(group))
    indices.push_back(nodes_.at(node).index);
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::map<matcher::NodeIndex, std::vector<double>>
ScheduleGraph::HeldWithoutEnd() const {
  std::map<matcher::NodeIndex, std::vector<double>> held;
  for (const auto& [group, holding] : holdings_) {
    if (PlannedEnd(holding.held) != matcher::kForever) continue;
    for (const PlacedMember& member : holding.held.members) {
      if (member.uid.empty()) continue;
      auto& sums = held[nodes_.at(member.node).index];
      const auto& amounts = requests_.Amounts(member.request);
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
  return std::any_of(holdings_.begin(), holdings_.end(), [&](const auto& each) {
    const Held& held = each.second.held;
    return PlannedEnd(held) <= now &&
           std::any_of(held.members.begin(), held.members.end(),
                       [&](const PlacedMember& member) {
                         return !member.uid.empty() &&
                                among.contains(nodes_.at(member.node).index);
                       });
  });
}

}  // namespace fluxnetes::workers
