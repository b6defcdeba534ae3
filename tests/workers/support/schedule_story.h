// A Schedule in a few words, for tests: nodes and groups as text, decisions as
// text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

struct GroupOptions {
  std::string queue = "default";
  std::string namespace_name = "default";
  std::string account = {};
  int priority = 0;
  bool first_in_line = false;
  std::optional<std::int64_t> duration = std::nullopt;
  std::string selector = {};  // "zone=a"
  bool unsatisfiable = false;
  int revision = 1;
  cluster::PodRules rules = {};
  std::vector<cluster::Toleration> tolerations = {};
  cluster::LabelMap labels = {};
  bool preempts = true;
  std::int64_t grace = 30;
  bool growth = false;  // then its priority is the least
  GroupId extends = 0;  // the group that it grows
  std::optional<std::int64_t> start_by = std::nullopt;
  bool guaranteed = false;
};

// What one pod of a group, its first, holds on a node.
Held HeldOn(const std::string& node, GroupId group, const GroupOptions& options,
            const cluster::PodRequest* request);

// Selects the pods with the label app=NAME.
cluster::PodAffinityTerm Near(const std::string& app, const std::string& key);

class Story {
 public:
  Story();

  // "node0 cpu=4 zone=a" and the like, one per line; 110 pods, 1 TiB.
  void Nodes(const std::string& text);
  static cluster::Node MakeNode(const std::string& line);

  // Groups are numbered from 1 in order; "3x2" is three pods of 2 cpu,
  // "1x4+2x1" are one of 4 and two of 1.
  GroupId Group(const std::string& pods, const GroupOptions& options = {});
  PendingGroup MakeGroup(GroupId id, const std::string& pods,
                         const GroupOptions& options, int first_member = 0);

  // The allocation of a group with these options, with requests of another
  // story.
  void Restore(Held held, const GroupOptions& options);

  // The labels of a group's pods have changed, and were seen on their nodes.
  void Relabel(GroupId group, const cluster::LabelMap& labels);
  // Sets the namespaces and their labels.
  void Namespaces(const std::map<std::string, cluster::LabelMap>& namespaces);
  // Makes a pod of another scheduler the only one on the node; null: none.
  void Unmanaged(const std::string& node, const cluster::Pod* pod);

  // "1: node0 node0, 2: node1": the placements, by group. Keeps the decision.
  std::string Decide(matcher::Time now);
  // Ends all pods of a group.
  void End(GroupId group) { schedule.Release(group, ""); }

  // "3 at 100 on node0 node1", "3 drains node0"; of the last decision.
  std::string Reserved() const;
  // "3 until 30 for 4": the victims of the last decision.
  std::string Evicted() const;
  // The reason of the only shape that waits.
  std::string OnlyReason() const;

  Schedule schedule;
  Decision decision;
  std::map<std::int64_t, std::string> reasons;  // by shape, as last decided

 private:
  std::string RequestJson(std::int64_t cpu, const GroupOptions& options);
  Schedule::PodOf PodOf() const;
  const cluster::PodRequest* WithLabels(const cluster::PodRequest* request,
                                        const std::string& uid,
                                        const GroupOptions& options);

  GroupId last_ = 0;
  std::map<std::string, cluster::PodPointer> pods_;  // by uid
};

std::string Uid(GroupId group, int member);

}  // namespace fluxnetes::workers
