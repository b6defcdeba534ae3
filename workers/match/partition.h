// The partition of scheduling queues into connected components: queues that
// share nodes, directly or through others, are in one component. It is kept up
// to date node by node; a change costs by the number of queues and of distinct
// sets of queues, not of nodes.
//
//   queue red {pool: red}  queue blue {pool: blue}  queue any-blue {pool: blue}
//   ▶ {red} {any-blue blue}
//
// Pure. Used by one thread.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

class Partition {
 public:
  using Selector = std::map<std::string, std::string>;
  using Component = std::vector<std::string>;  // queues, in order

  // Replaces all queues and their node selectors.
  void SetQueues(const std::map<std::string, Selector>& queues);

  void SetNode(const cluster::NodePointer& node);
  void RemoveNode(const std::string& name);

  // Returns the components in order of their first queues. A queue that selects
  // no node is a component by itself.
  const std::vector<Component>& Components();

 private:
  using Selected = std::vector<bool>;  // true or false by queue, in order

  struct Known {
    cluster::NodePointer node;
    Selected selected;
  };

  Selected SelectedBy(const cluster::Node& node) const;

  std::map<std::string, Selector> queues_;
  std::unordered_map<std::string, Known> nodes_;
  std::map<Selected, std::size_t> counts_;  // number of nodes
  std::vector<Component> components_;
  bool stale_ = true;
};

}  // namespace fluxnetes::workers
