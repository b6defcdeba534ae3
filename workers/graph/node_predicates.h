// Which nodes a queue may use: those with the labels that it asks for. One set
// of nodes for all that ask for the same, made when it is first asked for and
// kept up to date as nodes change.
//
// Owned by one thread.
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

  // Lives and keeps its address as long as this object does.
  const matcher::NodeSet* Eligible(const Labels& queue_selector);

  // The node is new or has changed. It is kept by reference until Remove().
  void Set(matcher::NodeIndex index, const cluster::Node& node);
  void Remove(matcher::NodeIndex index);

 private:
  std::vector<const cluster::Node*> nodes_;  // by index; null: none
  std::map<Labels, std::unique_ptr<matcher::NodeSet>> sets_;
};

}  // namespace fluxnetes::workers
