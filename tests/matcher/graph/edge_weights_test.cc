#include "matcher/graph/edge_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace fluxnetes::matcher {
namespace {

// A root with children whose uniq ids are in a random order. If `twins`, two
// have the same one.
ResourceGraph Children(int count, std::mt19937& random, bool twins) {
  std::vector<std::int64_t> ids(count);
  for (int i = 0; i < count; ++i) ids[i] = 10 + i;
  if (twins) ids[0] = ids[1];
  std::shuffle(ids.begin(), ids.end(), random);
  ResourceGraph graph;
  Vertex vertex;
  vertex.type = vertex.name = "cluster";
  const VertexIndex root = graph.AddVertex(vertex);
  graph.SetRoot(root);
  for (int i = 0; i < count; ++i) {
    vertex.type = "node";
    vertex.name = "node" + std::to_string(i);
    vertex.uniq_id = ids[i];
    graph.AddEdge(root, graph.AddVertex(vertex));
  }
  return graph;
}

TEST(EdgeWeights, HeaviestComesFirstThenTheHighestUniqId) {
  for (int seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const bool twins = seed % 4 == 0;
    const int count = seed % 5 == 0 ? 2 : 40;
    const ResourceGraph graph = Children(count, random, twins);
    std::vector<std::int64_t> weights(count, kForever);
    EdgeWeights edges;
    edges.Resize(count);
    std::vector<EdgeIndex> expected(count);
    for (int move = 0; move < 300; ++move) {
      for (EdgeIndex e = 0; e < count; ++e) expected[e] = e;
      std::stable_sort(expected.begin(), expected.end(),
                       [&](EdgeIndex a, EdgeIndex b) {
                         if (weights[a] != weights[b])
                           return weights[a] > weights[b];
                         return graph.uniq_id(graph.target(a)) >
                                graph.uniq_id(graph.target(b));
                       });
      const auto order = edges.From(graph, graph.root());
      ASSERT_TRUE(std::equal(order.begin(), order.end(), expected.begin(),
                             expected.end()))
          << "seed " << seed << ", move " << move;
      // As in a match the first one becomes lighter, or any one changes.
      const EdgeIndex e = move % 3 == 0
                              ? static_cast<EdgeIndex>(random() % count)
                              : order.front();
      weights[e] = move % 3 == 0 ? static_cast<std::int64_t>(random() % 8)
                                 : std::min<std::int64_t>(weights[e], 8) / 2;
      edges.Set(graph, e, weights[e]);
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
