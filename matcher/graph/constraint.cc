#include "matcher/graph/constraint.h"

#include <algorithm>

namespace fluxnetes::matcher {

bool Constraint::Holds(const ResourceGraph& graph, VertexIndex vertex) const {
  return empty() || Holds(nodes.front(), graph, vertex);
}

// Recurses as deep as the constraint, which its reader bounds.
bool Constraint::Holds(const Node& node, const ResourceGraph& graph,
                       VertexIndex vertex) const {
  const auto holds = [&](const Node& operand) {
    return Holds(operand, graph, vertex);
  };
  const auto begin = nodes.begin() + node.first;
  const auto end = nodes.begin() + node.last;
  switch (node.kind) {
    case Kind::kAnd:
      return std::all_of(begin, end, holds);
    case Kind::kOr:
      return std::any_of(begin, end, holds);
    case Kind::kNot:
      return !std::all_of(begin, end, holds);
    case Kind::kHosts:
      return std::any_of(node.hosts.begin(), node.hosts.end(),
                         [&](const HostList& list) {
                           return list.Contains(graph.Name(vertex));
                         });
    case Kind::kRanks:
      return std::any_of(
          node.ranks.begin(), node.ranks.end(),
          [&](const IdSet& set) { return set.Contains(graph.rank(vertex)); });
    case Kind::kProperties:
      break;
  }
  const auto* known = graph.PropertiesOf(vertex);
  return std::all_of(node.properties.begin(), node.properties.end(),
                     [&](const Property& property) {
                       const bool has =
                           known != nullptr && known->contains(property.key);
                       return has != property.absent;
                     });
}

}  // namespace fluxnetes::matcher
