// 3, inside of nodes: no part is given out twice, and each pod has what it asks
// for. The parts are read from the records and compared with the structures of
// the nodes, vertex by vertex.
#include <algorithm>

#include "cluster/json/request_json.h"
#include "matcher/inside/node_structure.h"
#include "matcher/inside/parts_text.h"
#include "matcher/inside/structure_text.h"
#include "tests/invariants/world.h"

namespace fluxnetes::testing {
namespace {

using matcher::NodeStructure;
using matcher::VertexIndex;

std::string TypeOf(const NodeStructure& structure, VertexIndex vertex) {
  return structure.graph().TypeName(vertex);
}

// The domain of this kind that the vertex is in, or is; -1: none.
VertexIndex DomainOf(const NodeStructure& structure, VertexIndex vertex,
                     const std::string& kind) {
  while (vertex >= 0 && TypeOf(structure, vertex) != kind)
    vertex = structure.parent(vertex);
  return vertex;
}

// Why these vertices are not what the pod asks for; empty: they are.
std::string WhyNotAsked(const NodeStructure& structure,
                        const std::vector<VertexIndex>& vertices,
                        const cluster::InsideTerms& terms,
                        const cluster::Resources& amounts) {
  std::set<VertexIndex> cores;
  std::set<VertexIndex> domains;
  for (const VertexIndex top : vertices) {
    for (VertexIndex v = top; v < structure.end(top); ++v)
      if (TypeOf(structure, v) == "core") cores.insert(v);
    domains.insert(DomainOf(structure, top, terms.align));
  }
  if (std::ssize(cores) < amounts.cpu_milli / 1'000)
    return fmt::format("has {} cores", cores.size());
  if (!terms.align.empty() && terms.align_required && domains.size() != 1)
    return fmt::format("has parts of {} domains", domains.size());
  return "";
}

}  // namespace

void World::CheckInside() {
  std::map<std::string, std::vector<const Place*>> by_node;
  for (const auto& [uid, place] : places)
    if (!place.parts.empty()) by_node[place.node].push_back(&place);
  for (const auto& [name, held] : by_node) {
    const auto node = nodes.find(name);
    if (node == nodes.end() || node->second->structure->empty()) continue;
    const auto graph = matcher::ReadStructure(*node->second->structure);
    const NodeStructure structure(graph, NodeStructure::NodeOf(graph));
    std::map<VertexIndex, std::string> owners;
    for (const Place* place : held) {
      const auto parts = matcher::ReadParts(place->parts, &structure);
      if (!parts.all_known) continue;  // the structure has changed
      for (const VertexIndex top : parts.vertices) {
        for (VertexIndex v = top; v < structure.end(top); ++v) {
          const auto [owner, first] = owners.emplace(v, place->uid);
          if (!first && owner->second != place->uid)
            Say(3, "node {}: {} is given to pods {} and {}", name,
                structure.Path(v), owner->second, place->uid);
        }
      }
      const auto member = members.find(place->uid);
      if (member == members.end() || member->second.inside.empty()) continue;
      const std::string why = WhyNotAsked(
          structure, parts.vertices,
          cluster::InsideFromJson(member->second.inside), place->amounts);
      if (!why.empty())
        Say(3, "pod {} has {} of node {}: it {}", place->uid, place->parts,
            name, why);
    }
  }
}

}  // namespace fluxnetes::testing
