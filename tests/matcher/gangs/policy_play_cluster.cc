// The cluster of a play: its zones, racks and nodes, which come and go.
#include "tests/matcher/gangs/policy_play.h"

namespace fluxnetes::matcher {
namespace {

VertexIndex Add(ResourceGraph& graph, VertexIndex parent, const char* type,
                int number, std::int64_t id, std::int64_t performance_class) {
  Vertex vertex;
  vertex.type = vertex.basename = type;
  vertex.name = type + std::to_string(number);
  vertex.id = id;
  vertex.uniq_id = graph.size();
  if (performance_class < kWorstClass)
    vertex.properties["perf_class"] = std::to_string(performance_class);
  const VertexIndex v = graph.AddVertex(vertex);
  if (parent == kNoVertex) {
    graph.SetRoot(v);
  } else {
    graph.AddEdge(parent, v);
  }
  return v;
}

}  // namespace

void PolicyPlay::MakeCluster() {
  ResourceGraph graph;
  const VertexIndex cluster =
      Add(graph, kNoVertex, "cluster", 0, 0, kWorstClass);
  const int most_nodes = random_.OneIn(6) ? 8 : 3;
  for (int z = 0; z < random_.Between(1, 3); ++z) {
    const VertexIndex zone = Add(graph, cluster, "zone", z, z, kWorstClass);
    for (int r = random_.Between(1, 3); r > 0; --r) {
      const auto number = static_cast<int>(racks_.size());
      racks_.push_back(Add(graph, zone, "rack", number, number, kWorstClass));
      for (int n = random_.Between(1, most_nodes); n > 0; --n)
        AddNode(racks_.back(), graph);
    }
  }
  for (const char* type : kTypeNames) graph.AddType(type);
  for (Node& node : nodes_) node.path = graph.Path(node.vertex);
  matcher_.emplace(std::move(graph), MatcherOptions{.policy = policy_});
}

void PolicyPlay::AddNode(VertexIndex rack, ResourceGraph& graph) {
  const auto number = static_cast<int>(nodes_.size());
  const std::int64_t ids[] = {number, 500 - number, number % 3,
                              random_.Below(50)};
  Node node;
  if (policy_.score == Policy::Score::kVariation && !random_.OneIn(4))
    node.performance_class = random_.Below(3);
  node.vertex =
      Add(graph, rack, "node", number, ids[ids_], node.performance_class);
  const int units[] = {random_.Between(1, 6), random_.Below(5),
                       random_.OneIn(2) ? 0 : random_.Between(1, 2)};
  for (int type = 0; type < kTypes; ++type) {
    for (int i = 0; i < units[type]; ++i) {
      node.units[type].push_back(Add(graph, node.vertex, kTypeNames[type], i, i,
                                     node.performance_class));
      node_of_[node.units[type].back()] = number;
    }
  }
  nodes_.push_back(node);
  nodes_.back().index = static_cast<NodeIndex>(number);
  const bool lost = fault_ == PlayFault::kLostGrowth && matcher_;
  const std::vector<std::int64_t> totals = {units[0], units[1], units[2]};
  const NodeIndex index =
      graph_.AddNode("node" + std::to_string(number), ids[ids_],
                     lost ? std::vector<std::int64_t>(kTypes) : totals);
  graph_.SetClass(index, node.performance_class);
  // A job of nothing keeps the index of the node from being used again.
  const std::vector<std::vector<std::int64_t>> nothing = {{0}};
  graph_.Restore(-1, 0, kForever, {&index, 1}, nothing, {},
                 {.whole_nodes = false, .holder = 0, .aside = true});
}

void PolicyPlay::Toggle() {
  Node& node = nodes_[random_.Below(static_cast<int>(nodes_.size()))];
  if (!node.present) return;
  node.up = !node.up;
  matcher_->SetUp(node.path, node.up);
  graph_.SetOpen(node.index, node.up);
  log_ += node.path + (node.up ? " is up\n" : " is down\n");
}

void PolicyPlay::Grow() {
  if (nodes_.size() >= 40) return;
  matcher_->Grow([&](ResourceGraph& graph) {
    if (random_.OneIn(3)) {
      const auto number = static_cast<int>(racks_.size());
      const VertexIndex zone = graph.parent(racks_.back());
      racks_.push_back(Add(graph, zone, "rack", number, number, kWorstClass));
    }
    AddNode(racks_.back(), graph);
  });
  nodes_.back().path = matcher_->graph().Path(nodes_.back().vertex);
  log_ += nodes_.back().path + " is added\n";
  MakeMatcher();
}

void PolicyPlay::Shrink() {
  const int number = random_.Below(static_cast<int>(nodes_.size()));
  Node& node = nodes_[number];
  if (!node.present) return;
  node.present = false;
  matcher_->Remove(node.path);
  if (fault_ != PlayFault::kLostShrink) graph_.RemoveNode(node.index);
  log_ += node.path + " is removed\n";
  MakeMatcher();
  Repack();
}

}  // namespace fluxnetes::matcher
