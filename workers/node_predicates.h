// Which nodes the pods of a request may use in a queue: by the labels that the
// queue asks for, the request's node selector and affinity, and taints. How
// much is free is not looked at. One set of nodes for all requests that say the
// same, made when it is first asked for and kept up to date as nodes change.
//
// Owned by one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/node.h"
#include "matcher/gang.h"

namespace fluxnetes::workers {

class NodePredicates {
 public:
  using Labels = std::map<std::string, std::string>;

  // Lives and keeps its address as long as this object does.
  const matcher::NodeSet* Eligible(const cluster::PodRequest& request,
                                   const Labels& queue_selector);

  // The node is new or has changed. It is kept by reference until Remove().
  void Set(matcher::NodeIndex index, const cluster::Node& node);
  void Remove(matcher::NodeIndex index);

 private:
  struct Predicate {
    cluster::PodRequest request;  // without resources
    Labels queue_selector;
    matcher::NodeSet nodes;
  };

  static void Update(Predicate& predicate, matcher::NodeIndex index,
                     const cluster::Node& node);

  std::vector<const cluster::Node*> nodes_;  // by index; null: none
  std::unordered_map<std::string, std::unique_ptr<Predicate>> predicates_;
};

}  // namespace fluxnetes::workers
