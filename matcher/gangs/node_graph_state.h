// The internals of a NodeGraph: the nodes with what jobs hold on them, the
// jobs, and the parts that make plans.
// Tests: tests/matcher/gangs/gang_test.cc.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "matcher/gangs/earliest_start.h"
#include "matcher/gangs/gang_plan.h"
#include "matcher/gangs/leaving_gang.h"
#include "matcher/gangs/node_columns.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/inside/node_interior.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {

// Throws std::invalid_argument for a time that is below 0 or without end.
void CheckTime(Time time);

struct NodeGraph::State {
  struct Job {
    std::vector<SpanId> tasks;  // by position; -1: released
    int live = 0;
    std::vector<SpanId> pools;
  };

  explicit State(std::vector<std::string> names)
      : resources(std::move(names)),
        nodes(static_cast<int>(resources.size())) {}

  void CheckNode(NodeIndex node) const;
  void CheckRules(std::span<const RulesId> rules) const;
  void CheckPools(std::span<const PoolNeed> pools) const;
  PlanBasis BasisNow(Time duration, Policy policy);
  PlanBasis BasisEmpty(Policy policy);
  // Returns the gang as the policy places it: with whole nodes, if the policy
  // gives these. Valid until the next call.
  const Gang& Seated(const Gang& gang, Policy policy);
  bool PlaceNow(JobId job, const Gang& gang, Policy policy, Time now);
  std::optional<Time> FindEarliest(Time duration, Time before, Policy policy);
  Placement Book(JobId job, Time start, Time duration);
  // Books what the tasks of the plan take inside of their nodes, and their
  // devices; `first` is the position of the first one in its job.
  void BookInside(JobId id, int first, Placement& placement, Time end);
  void BookInside(JobId id, int first, const Run& run, int task,
                  Placement& placement, const InsideWindow& window);
  void HoldRun(const Span& run, std::span<const std::int64_t> amounts,
               Job& job);
  void HoldPool(const PoolNeed& need, Span span, Job& job);
  void ReleasePools(Job& job);
  bool HasPools(Time start, Time end, std::span<const PoolNeed> pools);

  std::vector<std::string> resources;
  NodeColumns nodes;
  NodeInterior interior;
  NodeDevices devices{
      [this](NodeIndex node) { return nodes.labels().LabelsOf(node); }};
  GangPlan plan{nodes, interior, devices};
  EarliestStart earliest{nodes, plan};
  std::unordered_map<JobId, Job> jobs;
  Gang seated;
  LeavingGang leaving;  // the last gang that tried to start earlier
};

}  // namespace fluxnetes::matcher
