// The rules of tasks once more: one node and one task at a time, with nothing
// kept between questions. For comparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matcher/nodes/node_set.h"
#include "matcher/rules/task_rules.h"

namespace fluxnetes::matcher {

struct PlainLabelledNode {
  std::string name;
  bool present = true;
  Labels labels;
  std::vector<Taint> taints;
};

struct PlacedTask {
  NodeIndex node = 0;
  const TaskRules* rules = nullptr;  // null: none
};

// The tasks that a placement looks at. On empty nodes others may come, so rules
// that need other tasks are not checked.
struct PlacedRules {
  const std::vector<PlainLabelledNode>* nodes = nullptr;
  std::vector<PlacedTask> present;   // count for affinity and spread
  std::vector<PlacedTask> blocking;  // count for anti-affinity and ports
  bool empty = false;
};

bool Affine(const PlainLabelledNode& node, const NodeRules& rules);
bool Tolerated(const PlainLabelledNode& node, const NodeRules& rules);
bool Admits(const PlacedRules& around, NodeIndex node, const TaskRules& rules);
// The conditions of Admits(), one by one.
bool PortsInUse(const PlacedRules& around, NodeIndex node,
                const TaskRules& rules);
bool KeptApart(const PlacedRules& around, NodeIndex node,
               const TaskRules& rules);
bool HasWhatItNeeds(const PlacedRules& around, NodeIndex node,
                    const TaskRules& rules);
bool BreaksAnySpread(const PlacedRules& around, NodeIndex node,
                     const TaskRules& rules);
bool StartsSeries(const PlacedRules& around, const TaskRules& rules);
int Points(const PlacedRules& around, NodeIndex node, const TaskRules& rules);

// Returns nothing if the node does not have the label.
std::optional<std::string> DomainOf(const PlacedRules& around, NodeIndex node,
                                    const std::string& key);

}  // namespace fluxnetes::matcher
