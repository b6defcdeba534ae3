// Jobs that give up a part of what they hold.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "matcher/fluxion/matcher.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

enum class Ranked { kNodes, kNodesAndCores };

// Racks of 64 nodes of 32 cores.
ResourceGraph Racks(int nodes, Ranked ranked) {
  ResourceGraph graph;
  const auto add = [&](const char* type, int id, std::int64_t rank,
                       VertexIndex above) {
    Vertex vertex;
    vertex.type = vertex.basename = type;
    vertex.name = type + std::to_string(id);
    vertex.id = id;
    vertex.uniq_id = graph.size();
    vertex.rank = rank;
    const VertexIndex v = graph.AddVertex(vertex);
    if (above == kNoVertex) {
      graph.SetRoot(v);
    } else {
      graph.AddEdge(above, v);
    }
    return v;
  };
  const VertexIndex cluster = add("cluster", 0, -1, kNoVertex);
  VertexIndex rack = kNoVertex;
  for (int n = 0; n < nodes; ++n) {
    if (n % 64 == 0) rack = add("rack", n / 64, -1, cluster);
    const VertexIndex node = add("node", n, n, rack);
    for (int c = 0; c < 32; ++c) {
      add("core", c, ranked == Ranked::kNodes ? -1 : n, node);
    }
  }
  return graph;
}

Matcher Racked(int nodes, Ranked ranked, Policy policy = Policy::kLonode) {
  return Matcher(Racks(nodes, ranked), {.policy = policy});
}

// Releases the ranks in a random order and returns the steps that this took.
std::int64_t StepsToRelease(Matcher& matcher, int nodes) {
  std::vector<std::int64_t> ranks;
  for (int n = 0; n < nodes; ++n) ranks.push_back(n);
  std::shuffle(ranks.begin(), ranks.end(), std::mt19937(1));
  for (int n = 0; n < nodes; ++n) {
    const Released released = matcher.CancelRanks(1, {ranks[n]});
    EXPECT_NE(released, Released::kNotHeld) << n;
  }
  return matcher.release_steps();
}

constexpr const char* kTwoRacks = R"(
    cluster0/rack0/node0 core=2
    cluster0/rack0/node1 core=2
    cluster0/rack1/node2 core=2)";

VertexIndex Named(const ResourceGraph& graph, std::string_view path) {
  return graph.Find(path).value();
}

TEST(MatcherRelease, RestOfARackStaysTaken) {
  Matcher matcher(Tree(kTwoRacks), {.policy = Policy::kLow});
  const ResourceGraph& graph = matcher.graph();
  const VertexIndex rack = Named(graph, "/cluster0/rack0");
  const VertexIndex node0 = Named(graph, "/cluster0/rack0/node0");
  const VertexIndex core = Named(graph, "/cluster0/rack0/node1/core0");
  ASSERT_TRUE(matcher.Run(1, Ask("rack[1]!"), MatchOp::kAllocate, 0).found());
  const auto allocate = [&](JobId job, std::string_view ask) {
    return Show(graph, matcher.Run(job, Ask(ask), MatchOp::kAllocate, 0));
  };
  // The rack and one of its cores go, the nodes stay.
  EXPECT_EQ(matcher.CancelVertices(1, {rack, core}), Released::kPart);
  EXPECT_TRUE(matcher.HoldOf(1, node0).exclusive);
  EXPECT_FALSE(matcher.HoldOf(1, rack).tagged);
  EXPECT_FALSE(matcher.HoldOf(1, core).tagged);
  EXPECT_EQ(matcher.allocations(node0), 1);
  EXPECT_EQ(matcher.allocations(core), 0);
  // The node above the free core is taken.
  EXPECT_EQ(allocate(2, "slot[3]/core[1]"), "busy");
  EXPECT_EQ(matcher.CancelVertices(1, {node0}), Released::kPart);
  EXPECT_EQ(matcher.CancelVertices(1, {node0}), Released::kNotHeld);
  EXPECT_TRUE(matcher.Cancel(1));
  EXPECT_EQ(allocate(3, "rack[2]!"),
            "core0:x core1:x node0:x core0:x core1:x node1:x rack0:x core0:x "
            "core1:x node2:x rack1:x cluster0:s");
}

TEST(MatcherRelease, CoresThatAJobKeepsDoNotGoWithTheirNodeToAnother) {
  Matcher matcher(Tree("cluster0/node0 core=2"), {.policy = Policy::kLonodex});
  const ResourceGraph& graph = matcher.graph();
  const VertexIndex node = Named(graph, "/cluster0/node0");
  const VertexIndex core0 = Named(graph, "/cluster0/node0/core0");
  const VertexIndex core1 = Named(graph, "/cluster0/node0/core1");
  const auto allocate = [&](JobId job) {
    return Show(graph, matcher.Run(job, Ask("node[1]"), MatchOp::kAllocate, 0));
  };
  ASSERT_EQ(allocate(1), "core0:x core1:x node0:x cluster0:s");
  ASSERT_EQ(matcher.CancelVertices(1, {node, core1}), Released::kPart);
  EXPECT_EQ(allocate(2), "core1:x node0:x cluster0:s");
  EXPECT_FALSE(matcher.HoldOf(2, core0).tagged);
  // So it stays the first job's when the second one ends.
  EXPECT_TRUE(matcher.Cancel(2));
  EXPECT_TRUE(matcher.HoldOf(1, core0).exclusive);
  EXPECT_EQ(matcher.allocations(core0), 1);
  EXPECT_TRUE(matcher.Cancel(1));
  EXPECT_EQ(allocate(3), "core0:x core1:x node0:x cluster0:s");
}

TEST(MatcherRelease, NodeOfALargeJobCostsWhatANodeOfASmallOneCosts) {
  for (const char* ask : {"node[{}]!", "slot[{}]/node[1]!/core[32]",
                          "rack[{1}]!", "slot[{}]/node[1]/core[32]"}) {
    for (const Ranked ranked : {Ranked::kNodesAndCores, Ranked::kNodes}) {
      for (const Policy policy : {Policy::kLonode, Policy::kFirst}) {
        std::vector<std::int64_t> steps;
        for (const int nodes : {64, 512}) {
          Matcher matcher = Racked(nodes, ranked, policy);
          const std::string text =
              fmt::format(fmt::runtime(ask), nodes, nodes / 64);
          ASSERT_TRUE(matcher.Run(1, Ask(text), MatchOp::kAllocate, 0).found())
              << text;
          steps.push_back(StepsToRelease(matcher, nodes) / nodes);
        }
        EXPECT_LT(steps[0], 600) << ask;
        EXPECT_LT(steps[1], 2 * steps[0] + 20) << ask;
      }
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
