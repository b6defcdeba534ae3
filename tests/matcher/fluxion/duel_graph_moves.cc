#include <stdexcept>

#include "tests/matcher/fluxion/duel_play.h"

namespace fluxnetes::matcher {

bool DuelPlay::ChangedStatus(const DuelMove& move) {
  const VertexIndex v = AnyVertex(move.a);
  if (graph_.detached(v)) return true;
  const bool up = move.b % 5 < 3;
  const std::string path = graph_.Path(v);
  did_ = path + (up ? " comes up" : " goes down");
  if (!fast_.SetUp(path, up)) return Differ("the path is not known");
  for (const VertexIndex same : graph_.FindAll(path)) plain_.SetUp(same, up);
  return true;
}

bool DuelPlay::ChangedProperty(const DuelMove& move) {
  constexpr const char* kValues[] = {"0", "3", "17", "x", "", "10000"};
  const VertexIndex v = AnyVertex(move.a);
  if (graph_.detached(v)) return true;
  const char* key = move.b % 2 == 0   ? "perf_class"
                    : move.b % 4 == 1 ? "ssd"
                                      : "new";
  const std::string path = graph_.Path(v);
  const char* value = kValues[move.c % std::size(kValues)];
  did_ = path + " has " + key + " " + value;
  return fast_.SetProperty(path, key, value) || Differ("the path is not known");
}

// Adds a node with cores, cores of a node, a rack with nodes, or a new type.
void DuelPlay::Add(ResourceGraph& graph, const DuelMove& move) const {
  const auto add = [&](VertexIndex parent, const std::string& type,
                       std::int64_t units) {
    Vertex vertex;
    vertex.type = vertex.basename = type;
    vertex.uniq_id = graph.size();
    vertex.name = type + std::to_string(graph.size());
    vertex.id = move.c % 3 == 0 ? graph.size() : move.c % 7;
    vertex.rank = graph.rank(parent);
    if (type == "node") vertex.rank = graph.size();
    vertex.size = units;
    vertex.up = move.c % 11 != 0;
    const VertexIndex v = graph.AddVertex(vertex);
    graph.AddEdge(parent, v);
    return v;
  };
  const auto node = [&](VertexIndex parent) {
    const VertexIndex v = add(parent, "node", 1);
    for (unsigned i = 0; i < 1 + move.b % 4; ++i) add(v, "core", 1);
    if (move.b % 5 == 0) add(v, "memory", 4);
    if (move.b % 9 == 0) add(v, "fpga", 1);
  };
  VertexIndex above = AnyVertex(move.a);
  if (graph.detached(above)) above = graph.root();
  const std::string type = graph.TypeName(above);
  if (type == "cluster" && move.c % 4 == 0) {
    const VertexIndex rack = add(above, "rack", 1);
    for (unsigned i = 0; i < 1 + move.b % 2; ++i) node(rack);
  } else if (type == "cluster" || type == "rack") {
    node(above);
  } else {
    if (graph.IsLeaf(above)) above = graph.parent(above);
    add(above, move.b % 6 == 0 ? "fpga" : "core", 1);
  }
}

bool DuelPlay::Grew(const DuelMove& move) {
  did_ = "something is added at " + std::to_string(AnyVertex(move.a));
  if (move.c % 6 != 5) {
    fast_.Grow([&](ResourceGraph& graph) { Add(graph, move); });
  } else {
    did_ += ", but fails";
    try {
      fast_.Grow([&](ResourceGraph& graph) {
        Add(graph, move);
        throw std::runtime_error("no more of this");
      });
      return Differ("that what was thrown was caught");
    } catch (const std::runtime_error&) {
    }
  }
  plain_.GraphChanged();
  return true;
}

bool DuelPlay::Removed(const DuelMove& move) {
  const VertexIndex v = AnyVertex(move.a);
  // Removing half a graph at once leaves little to play with.
  const bool large = graph_.TypeName(v) == "row" || move.b % 4 != 0;
  if (graph_.detached(v) || (large && graph_.TypeName(v) == "rack"))
    return true;
  const std::string path = graph_.Path(v);
  did_ = path + " is removed";
  if (fast_.Remove(path) != (v != graph_.root())) {
    return Differ("all but the root can be removed");
  }
  if (v != graph_.root()) plain_.GraphChanged();
  return true;
}

bool DuelPlay::RemovedRanks(const DuelMove& move) {
  std::vector<std::int64_t> ranks = {move.a % 12};
  if (move.b % 3 == 0) ranks.push_back(12 + move.c % 30);
  did_ = "ranks are removed:";
  for (const std::int64_t rank : ranks) did_ += " " + std::to_string(rank);
  const bool plain = plain_.LoseRanks(ranks);
  if (fast_.RemoveRanks(ranks) != plain) {
    return Differ(plain ? "fast removed none" : "fast removed them");
  }
  if (!plain) return true;
  plain_.GraphChanged();
  // A job that had nothing else has ended.
  std::erase_if(held_,
                [&](const auto& held) { return !fast_.Known(held.first); });
  return true;
}

}  // namespace fluxnetes::matcher
