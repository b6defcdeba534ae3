#include "workers/graph/holdings.h"

#include <cassert>

namespace fluxnetes::workers {

Holding& Holdings::Add(Held held, std::vector<matcher::NodeIndex> nodes) {
  assert(!by_group_.contains(held.group));
  Touch(held.group);
  if (held.extends != 0) extending_[held.extends].insert(held.group);
  Holding& holding = by_group_[held.group];
  holding.places = static_cast<int>(held.members.size());
  holding.held = std::move(held);
  holding.nodes = std::move(nodes);
  Compact(holding);
  return holding;
}

void Holdings::AddMember(Holding& holding, const PlacedMember& member,
                         matcher::NodeIndex node) {
  holding.held.members.push_back(member);
  holding.nodes.push_back(node);
  ++holding.places;
}

void Holdings::Compact(Holding& holding) {
  std::vector<PlacedMember>& members = holding.held.members;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].uid.empty()) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    holding.nodes[kept] = holding.nodes[i];
    ++kept;
  }
  members.erase(members.begin() + static_cast<std::ptrdiff_t>(kept),
                members.end());
  holding.nodes.resize(kept);
  if (!finds_pods_) return;
  int position = 0;
  for (const PlacedMember& member : members)
    places_[member.uid] = {holding.held.group, position++};
}

const cluster::PodRequest* Holdings::RemovePlace(const Place& place) {
  Holding& holding = at(place.group);
  PlacedMember& member = holding.held.members[place.position];
  places_.erase(member.uid);
  member.uid.clear();
  --holding.places;
  return member.request;
}

void Holdings::Remove(GroupId group) {
  const auto found = by_group_.find(group);
  for (const PlacedMember& member : found->second.held.members)
    if (finds_pods_ && !member.uid.empty()) places_.erase(member.uid);
  if (const GroupId base = found->second.held.extends; base != 0) {
    std::set<GroupId>& extending = extending_.at(base);
    extending.erase(group);
    if (extending.empty()) extending_.erase(base);
  }
  by_group_.erase(found);
}

Holding* Holdings::Find(GroupId group) {
  const auto found = by_group_.find(group);
  return found == by_group_.end() ? nullptr : &found->second;
}

const Holding* Holdings::Find(GroupId group) const {
  const auto found = by_group_.find(group);
  return found == by_group_.end() ? nullptr : &found->second;
}

const Held* Holdings::HeldBy(GroupId group) const {
  const Holding* holding = Find(group);
  return holding == nullptr ? nullptr : &holding->held;
}

std::optional<Holdings::Place> Holdings::PlaceOf(const std::string& uid) const {
  const auto place = places_.find(uid);
  if (place == places_.end()) return std::nullopt;
  return place->second;
}

std::optional<std::string> Holdings::NodeOf(const std::string& uid) const {
  const auto place = PlaceOf(uid);
  if (!place) return std::nullopt;
  return at(place->group).held.members[place->position].node;
}

const cluster::Resources* Holdings::GrantOf(const std::string& uid) const {
  const auto place = PlaceOf(uid);
  if (!place) return nullptr;
  return &at(place->group).held.members[place->position].request->resources;
}

std::vector<std::string> Holdings::NodesOf(GroupId group) const {
  const Holding* holding = Find(group);
  if (holding == nullptr) return {};
  std::set<std::string> nodes;
  for (const PlacedMember& member : holding->held.members)
    if (!member.uid.empty()) nodes.insert(member.node);
  return {nodes.begin(), nodes.end()};
}

const std::set<GroupId>& Holdings::Extending(GroupId group) const {
  static const std::set<GroupId> kNone;
  const auto found = extending_.find(group);
  return found == extending_.end() ? kNone : found->second;
}

void Holdings::Touch(GroupId group) {
  if (touched_.empty() || touched_.back() != group) touched_.push_back(group);
}

void Holdings::TouchAll() {
  for (const auto& [group, holding] : by_group_) touched_.push_back(group);
}

}  // namespace fluxnetes::workers
