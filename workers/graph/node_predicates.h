// The nodes that a queue may use: those with the labels of its node selector.
// Queues with the same selector share one set of nodes, which is made at the
// first call and kept up to date as nodes change.
//
// Owned by one thread.
// Tests: tests/workers/schedule/schedule_test.cc.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "matcher/nodes/node_set.h"

namespace fluxnetes::workers {

class NodePredicates {
 public:
  using Labels = std::map<std::string, std::string>;

  // Returns a set that keeps its address as long as this object lives.
  const matcher::NodeSet* Eligible(const Labels& queue_selector);

  // Adds a new or changed node. The reference is kept until Remove().
  void Set(matcher::NodeIndex index, const cluster::Node& node);
  void Remove(matcher::NodeIndex index);

 private:
  std::vector<const cluster::Node*> nodes_;  // by index; null: no node
  std::map<Labels, std::unique_ptr<matcher::NodeSet>> sets_;
};

}  // namespace fluxnetes::workers
