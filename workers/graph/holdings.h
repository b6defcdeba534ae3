// What groups hold of the nodes, by group and by the UID of the pod that holds
// a place. ScheduleGraph books it in the resource graph.
//
// Owned by one thread.
// Tests: tests/workers/graph/holdings_test.cc.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/objects/node.h"
#include "matcher/gangs/node_graph.h"
#include "workers/decision/held.h"

namespace fluxnetes::workers {

struct Holding {
  Held held;                              // a place that was given back: no UID
  std::vector<matcher::NodeIndex> nodes;  // of its members
  int places = 0;                         // that are still held
};

class Holdings {
 public:
  // A pod's place: the position of the pod among the members of its group.
  struct Place {
    GroupId group = 0;
    int position = 0;
  };
  using ByGroup = std::unordered_map<GroupId, Holding>;

  // Pods are not found by their UIDs: call it before anything is held.
  void LeavePodsOut() { finds_pods_ = false; }

  // The group must hold nothing. `nodes`: of its members.
  Holding& Add(Held held, std::vector<matcher::NodeIndex> nodes);
  void AddMember(Holding& holding, const PlacedMember& member,
                 matcher::NodeIndex node);
  // Forgets members whose places were given back, so that positions change.
  void Compact(Holding& holding);
  // The place is given back; returns the request that it was for. The holding
  // stays, with one place less.
  const cluster::PodRequest* RemovePlace(const Place& place);
  // The group must hold something.
  void Remove(GroupId group);

  Holding* Find(GroupId group);
  const Holding* Find(GroupId group) const;
  Holding& at(GroupId group) { return by_group_.at(group); }
  const Holding& at(GroupId group) const { return by_group_.at(group); }
  ByGroup& by_group() { return by_group_; }
  const ByGroup& by_group() const { return by_group_; }

  // Null: it holds nothing.
  const Held* HeldBy(GroupId group) const;
  std::optional<Place> PlaceOf(const std::string& uid) const;
  std::optional<std::string> NodeOf(const std::string& uid) const;
  // What the pod was given; null: it has no place.
  const cluster::Resources* GrantOf(const std::string& uid) const;
  // Where the group holds something, each node once, in order.
  std::vector<std::string> NodesOf(GroupId group) const;
  // The groups that hold something and extend this one.
  const std::set<GroupId>& Extending(GroupId group) const;

  // What the group holds has changed.
  void Touch(GroupId group);
  void TouchAll();
  // The groups that were touched since the last call.
  std::vector<GroupId> TakeTouched() { return std::exchange(touched_, {}); }

 private:
  ByGroup by_group_;
  std::unordered_map<std::string, Place> places_;  // by UID
  std::unordered_map<GroupId, std::set<GroupId>> extending_;
  std::vector<GroupId> touched_;
  bool finds_pods_ = true;
};

}  // namespace fluxnetes::workers
