// Which scheduling queues share nodes, directly or through others: each
// connected component of queues has its nodes to itself. Kept up to date node
// by node; a change costs by the number of queues and of different sets of
// queues, not of nodes.
//
//   queue red {pool: red}  queue blue {pool: blue}  queue any-blue {pool: blue}
//   ▶ {red} {any-blue blue}
//
// Pure. One thread.
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

  // All queues, with their node selectors, in place of what was known.
  void SetQueues(const std::map<std::string, Selector>& queues);

  void SetNode(const cluster::NodePointer& node);
  void RemoveNode(const std::string& name);

  // In order of their first queues. A queue that selects no node is alone.
  const std::vector<Component>& Components();

 private:
  using Selected = std::vector<bool>;  // by queue, in order

  struct Known {
    cluster::NodePointer node;
    Selected selected;
  };

  Selected SelectedBy(const cluster::Node& node) const;

  std::map<std::string, Selector> queues_;
  std::unordered_map<std::string, Known> nodes_;
  std::map<Selected, std::size_t> counts_;  // of nodes
  std::vector<Component> components_;
  bool stale_ = true;
};

}  // namespace fluxnetes::workers
