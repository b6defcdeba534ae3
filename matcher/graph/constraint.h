// A condition on the nodes that a job may take (Flux RFC 31):
//
//   {and: [{properties: ["gpu", "^slow"]}, {not: [{ranks: ["0-3"]}]}]}
//
// An empty constraint holds everywhere. The operators form a flat tree: each
// names the range of its operands.
#pragma once

#include <string>
#include <vector>

#include "matcher/graph/host_list.h"
#include "matcher/graph/id_set.h"
#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

struct Constraint {
  enum class Kind { kProperties, kHosts, kRanks, kAnd, kOr, kNot };
  struct Property {
    std::string key;
    bool absent = false;  // written "^key"
    bool operator==(const Property&) const = default;
  };
  struct Node {
    Kind kind = Kind::kAnd;
    int first = 0;  // operands: nodes [first, last)
    int last = 0;
    std::vector<Property> properties;  // all must hold
    std::vector<HostList> hosts;       // one must hold
    std::vector<IdSet> ranks;          // one must hold
    bool operator==(const Node&) const = default;
  };

  std::vector<Node> nodes;  // the first is the root

  bool operator==(const Constraint&) const = default;
  bool empty() const { return nodes.empty(); }
  bool Holds(const ResourceGraph& graph, VertexIndex vertex) const;

 private:
  bool Holds(const Node& node, const ResourceGraph& graph,
             VertexIndex vertex) const;
};

}  // namespace fluxnetes::matcher
