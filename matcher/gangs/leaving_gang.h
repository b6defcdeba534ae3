// The amounts of a gang's reservation, by node, for searches that ignore that
// reservation.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/gangs/node_graph_freed_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "matcher/gangs/gang.h"
#include "matcher/gangs/node_columns.h"
#include "matcher/nodes/node_profile.h"

namespace fluxnetes::matcher {

class LeavingGang {
 public:
  // `own` is the placement of its tasks, or of the first of them.
  // `job`: the one that holds it.
  void Set(const Gang& gang, const Placement& own, const NodeColumns& nodes,
           std::optional<JobId> job = std::nullopt);
  void Clear();

  std::optional<JobId> job() const { return job_; }
  // Each node once.
  const std::vector<NodeIndex>& nodes() const { return nodes_; }
  bool IsOn(NodeIndex node) const { return !at_.empty() && at_[node] >= 0; }
  Leaving At(NodeIndex node) const {
    if (!IsOn(node)) return {};
    return {{amounts_.data() + at_[node], resources_}, start_, end_};
  }

 private:
  std::optional<JobId> job_;
  std::size_t resources_ = 0;
  Time start_ = 0;
  Time end_ = 0;
  std::vector<NodeIndex> nodes_;
  std::vector<std::int32_t> at_;  // [node]: index in amounts_; -1: none
  std::vector<std::int64_t> amounts_;
};

}  // namespace fluxnetes::matcher
