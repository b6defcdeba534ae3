// The rules of tasks once more, one node and one task at a time, with nothing
// kept from one question to the next. For comparing.
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

// The tasks that a placement goes by. On empty nodes others may come, so what
// needs them is not looked at.
struct Surroundings {
  const std::vector<PlainLabelledNode>* nodes = nullptr;
  std::vector<PlacedTask> present;   // for affinity and spread
  std::vector<PlacedTask> blocking;  // for what keeps tasks apart
  bool empty = false;
};

bool Affine(const PlainLabelledNode& node, const NodeRules& rules);
bool Tolerated(const PlainLabelledNode& node, const NodeRules& rules);
bool Admits(const Surroundings& around, NodeIndex node, const TaskRules& rules);
// What Admits() asks, one by one.
bool PortsInUse(const Surroundings& around, NodeIndex node,
                const TaskRules& rules);
bool KeptApart(const Surroundings& around, NodeIndex node,
               const TaskRules& rules);
bool HasWhatItNeeds(const Surroundings& around, NodeIndex node,
                    const TaskRules& rules);
bool BreaksAnySpread(const Surroundings& around, NodeIndex node,
                     const TaskRules& rules);
bool StartsSeries(const Surroundings& around, const TaskRules& rules);
int Points(const Surroundings& around, NodeIndex node, const TaskRules& rules);

// Nothing: the node does not have the label.
std::optional<std::string> DomainOf(const Surroundings& around, NodeIndex node,
                                    const std::string& key);

}  // namespace fluxnetes::matcher
