#include <gtest/gtest.h>

#include <stdexcept>

#include "matcher/gangs/node_graph.h"
#include "tests/matcher/random/node_picture.h"

namespace fluxnetes::matcher {
namespace {

TEST(NodeGraph, GangIsPlacedWholeOrNotAtAll) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4 mem=8
      node1 cpu=2 mem=8)");

  EXPECT_EQ(
      Show(graph, graph.Allocate(1, Tasks("1x cpu=2"), Policy::kLonode, 0)),
      "node0");
  const std::string before = graph.Describe();
  EXPECT_EQ(
      Show(graph, graph.Allocate(2, Tasks("3x cpu=2"), Policy::kLonode, 0)),
      "not now");
  EXPECT_EQ(graph.Describe(), before);
  EXPECT_EQ(
      Show(graph, graph.Allocate(2, Tasks("2x cpu=2"), Policy::kLonode, 0)),
      "node0 node1");
}

TEST(NodeGraph, NodeIsFilledBeforeTheNextIsTaken) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4 mem=8
      node1 cpu=4 mem=8
      node2 cpu=4 mem=8)");

  EXPECT_EQ(Show(graph, graph.Allocate(1, Tasks("6x cpu=1 mem=2"),
                                       Policy::kLonode, 0)),
            "node0 node0 node0 node0 node1 node1");
}

TEST(NodeGraph, PoliciesOrderNodesByIdThenIndex) {
  const auto take = [](Policy policy) {
    NodeGraph graph = Nodes(R"(
        a cpu=1 id=2
        b cpu=1 id=1
        c cpu=1 id=2
        d cpu=1 id=1)");
    return Show(graph, graph.Allocate(1, Tasks("4x cpu=1"), policy, 0));
  };
  EXPECT_EQ(take(Policy::kLonode), "b d a c");
  EXPECT_EQ(take(Policy::kHinode), "c a d b");
  EXPECT_EQ(take(Policy::kFirst), "d c b a");
}

TEST(NodeGraph, LowTakesTheLeastHeldAndHighTheMostFree) {
  NodeGraph graph = Nodes(R"(
      a cpu=4 mem=4
      b cpu=8 mem=8
      c cpu=4 mem=4)");
  const Gang one = Tasks("1x cpu=1 mem=1");
  graph.Allocate(1, one, Policy::kLonode, 0);  // on a

  EXPECT_EQ(Show(graph, graph.Allocate(2, Tasks("4x cpu=1"), Policy::kLow, 0)),
            "b c a b");
  EXPECT_EQ(Show(graph, graph.Allocate(3, Tasks("4x cpu=1"), Policy::kHigh, 0)),
            "b b b b");
}

TEST(NodeGraph, LocalityTakesTheRunOfTheHighestIdsNodeByNode) {
  const auto take = [](const char* tasks) {
    NodeGraph graph = Nodes(R"(
        a cpu=4
        b cpu=9
        c cpu=5)");
    return Show(graph, graph.Allocate(1, Tasks(tasks), Policy::kLocality, 0));
  };
  // One core each: the ids of all nodes are one run from 0 to 8.
  EXPECT_EQ(take("6x cpu=1"), "a a a a b b");
  // Two each: b gives 8+7, 6+5, 4+3, 2+1; a gives 3+2, 1+0; c gives 4+3, 2+1.
  EXPECT_EQ(take("6x cpu=2"), "b b b c a b");
}

TEST(NodeGraph, VariationFillsTheLowestClassFirst) {
  NodeGraph graph = Nodes(R"(
      a cpu=2
      b cpu=2
      c cpu=2)");
  graph.SetClass(1, 7);
  graph.SetClass(2, 3);
  EXPECT_EQ(
      Show(graph, graph.Allocate(1, Tasks("6x cpu=1"), Policy::kVariation, 0)),
      "c c b b a a");
  EXPECT_THROW(graph.SetClass(0, 10'000), std::invalid_argument);
}

TEST(NodeGraph, ResourcesWithoutUnitsDoNotCountForLow) {
  NodeGraph graph({"cpu", "pods"});
  graph.AddNode("a", 0, std::vector<std::int64_t>{4'000, 10});
  graph.AddNode("b", 1, std::vector<std::int64_t>{4'000, 10});
  graph.SetUnit(0, 1'000);
  graph.SetUnit(1, 0);
  const Gang pods{{{{0, 1}, nullptr, 3}}};
  const Gang cores{{{{1'000, 1}, nullptr, 2}}};
  EXPECT_EQ(Show(graph, graph.Allocate(1, pods, Policy::kLow, 0)), "a a a");
  EXPECT_EQ(Show(graph, graph.Allocate(2, cores, Policy::kLow, 0)), "a b");
}

TEST(NodeGraph, MembersOfAGangMayDiffer) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4 gpu=1)");
  const Gang gang = Tasks("3x cpu=1 + 1x cpu=1 gpu=1 + 1x cpu=4");

  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)),
            "node1 node1 node1 node1 node0");
}

TEST(NodeGraph, SmallLauncherDoesNotTakeTheOnlyPlaceOfAWorker) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4
      node2 cpu=1)");

  EXPECT_EQ(Show(graph, graph.Allocate(1, Tasks("1x cpu=1 + 2x cpu=4"),
                                       Policy::kLonode, 0)),
            "node2 node0 node1");
}

TEST(NodeGraph, OnlyEligibleNodesAreTaken) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4
      node2 cpu=4)");
  NodeSet eligible;
  eligible.Insert(1);
  eligible.Insert(2);
  eligible.Erase(2);
  Gang gang = Tasks("1x cpu=3");
  gang.groups[0].eligible = &eligible;

  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)), "node1");
  EXPECT_EQ(Show(graph, graph.Allocate(2, gang, Policy::kLonode, 0)),
            "not now");
  gang.groups[0].count = 2;
  EXPECT_EQ(Show(graph, graph.Allocate(2, gang, Policy::kLonode, 0)), "never");
}

TEST(NodeGraph, NeverMeansNotEvenOnEmptyOpenNodesBesideUnmanagedPods) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=8 closed)");
  const auto show = [&](const char* tasks) {
    return Show(graph, graph.Allocate(2, Tasks(tasks), Policy::kLonode, 0));
  };
  graph.Allocate(1, Tasks("1x cpu=4"), Policy::kLonode, 0);
  EXPECT_EQ(show("1x cpu=4"), "not now");
  EXPECT_EQ(show("1x cpu=5"), "never");
  graph.SetOpen(1, true);
  EXPECT_EQ(show("1x cpu=9"), "never");
  graph.SetUnmanaged(1, std::vector<std::int64_t>{6});
  EXPECT_EQ(show("1x cpu=5"), "never");
  EXPECT_EQ(show("1x cpu=2"), "node1");
}

TEST(NodeGraph, TaskThatNeedsNothingOfAResourceDoesNotMindItsOvercommit) {
  NodeGraph graph = Nodes("node0 cpu=4 mem=8");
  graph.SetUnmanaged(0, std::vector<std::int64_t>{0, 9});

  EXPECT_EQ(graph.Free(0, 0), (std::vector<std::int64_t>{4, -1, 0}));
  EXPECT_EQ(
      Show(graph, graph.Allocate(1, Tasks("1x mem=1"), Policy::kLonode, 0)),
      "never");
  EXPECT_EQ(
      Show(graph, graph.Allocate(1, Tasks("2x cpu=2"), Policy::kLonode, 0)),
      "node0 node0");
  EXPECT_EQ(Show(graph, graph.Allocate(2, Tasks("3x"), Policy::kLonode, 0)),
            "node0 node0 node0");
}

TEST(NodeGraph, RemovedNodeKeepsItsIndexUntilTheLastJobLeftIt) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=1
      node1 cpu=1)");
  graph.Allocate(1, Tasks("1x cpu=1"), Policy::kLonode, 0);
  graph.RemoveNode(0);

  EXPECT_EQ(graph.Find("node0"), std::nullopt);
  EXPECT_EQ(graph.AddNode("node2", 2, std::vector<std::int64_t>{1}), 2);
  EXPECT_TRUE(graph.Cancel(1));
  EXPECT_EQ(graph.AddNode("node3", 3, std::vector<std::int64_t>{1}), 0);
  EXPECT_EQ(graph.Find("node3"), 0);
}

TEST(NodeGraph, RemovedNodeThatComesBackHasWhatIsStillHeldOnIt) {
  NodeGraph graph = Nodes("node0 cpu=2");
  graph.Allocate(1, Tasks("1x cpu=1"), Policy::kLonode, 0);
  graph.RemoveNode(0);
  EXPECT_EQ(
      Show(graph, graph.Allocate(2, Tasks("1x cpu=1"), Policy::kLonode, 0)),
      "never");

  EXPECT_EQ(graph.AddNode("node0", 0, std::vector<std::int64_t>{2}), 0);
  EXPECT_EQ(graph.Free(0, 0)[0], 1);
}

TEST(NodeGraph, RestoreTakesEvenWhatDoesNotFit) {
  NodeGraph graph = Nodes("node0 cpu=1 mem=4");
  const std::vector<NodeIndex> nodes = {0, 0};
  const std::vector<std::vector<std::int64_t>> amounts = {{kMaxAmount, 1},
                                                          {kMaxAmount}};
  const std::string empty = graph.Describe();
  for (JobId job = 1; job < 9; ++job) {
    graph.Restore(job, 0, -5, nodes, amounts);
  }
  EXPECT_LT(graph.Free(0, 3)[0], -kMaxAmount);
  EXPECT_EQ(graph.Free(0, 3)[1], -4);
  EXPECT_EQ(
      Show(graph, graph.Allocate(9, Tasks("1x cpu=1"), Policy::kLonode, 3), 3),
      "not now");
  EXPECT_EQ(
      Show(graph,
           graph.AllocateOrReserve(9, Tasks("1x cpu=1"), Policy::kLonode, 3),
           3),
      "at 4: node0");
  for (JobId job = 1; job < 10; ++job) EXPECT_TRUE(graph.Cancel(job));
  EXPECT_EQ(graph.Describe(), empty);
  EXPECT_EQ(graph.Free(0, 3)[0], 1);
}

TEST(NodeGraph, HugeAmountsDoNotOverflow) {
  NodeGraph graph({"mem"});
  graph.AddNode("node0", 0, std::vector<std::int64_t>{kMaxAmount});
  const Gang gang{{{{kMaxAmount / 2}, nullptr, 5}}, kForever - 1};

  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 7)), "never");
  const Gang two{{{{kMaxAmount / 2}, nullptr, 2}}, kForever - 1};
  EXPECT_EQ(Show(graph, graph.Allocate(1, two, Policy::kLonode, 7), 7),
            "node0 node0");
  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(2, two, Policy::kLonode, 7)),
            "no time");
}

TEST(NodeGraph, ResourceMayAppearLater) {
  NodeGraph graph({"cpu"});
  graph.AddNode("node0", 0, std::vector<std::int64_t>{4});
  const Gang old{{{{1}, nullptr, 1}}};
  graph.Allocate(1, old, Policy::kLonode, 0);
  graph.AddResource("gpu");
  graph.SetTotals(0, std::vector<std::int64_t>{4, 2});

  const Gang gang{{{{1, 1}, nullptr, 2}}};
  EXPECT_EQ(Show(graph, graph.Allocate(2, gang, Policy::kLonode, 0)),
            "node0 node0");
  EXPECT_EQ(Show(graph, graph.Allocate(3, old, Policy::kLonode, 0)), "node0");
  EXPECT_EQ(graph.Free(0, 0), (std::vector<std::int64_t>{0, 0}));
}

TEST(NodeGraph, CountFitsCountsUpToTheLimit) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=3)");
  const TaskGroup group = Tasks("1x cpu=2").groups[0];
  EXPECT_EQ(graph.CountFits(group, kForever, 0, 100), 3);
  EXPECT_EQ(graph.CountFits(group, 60, 0, 2), 2);
}

TEST(NodeGraph, NoNodesAndNoTasks) {
  NodeGraph graph({"cpu"});
  EXPECT_EQ(
      Show(graph, graph.AllocateOrReserve(1, Tasks(""), Policy::kLonode, 0)),
      "");
  EXPECT_EQ(graph.Describe(), "");
  const Gang gang{{{{1}, nullptr, 1}}};
  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(1, gang, Policy::kLonode, 0)),
            "never");
}

TEST(NodeGraph, MisuseThrowsAndChangesNothing) {
  NodeGraph graph = Nodes("node0 cpu=1");
  const std::string before = graph.Describe();
  const std::vector<NodeIndex> nodes = {0, 7};
  const std::vector<std::vector<std::int64_t>> amounts = {{1}, {1}};
  EXPECT_THROW(graph.Restore(1, 0, 1, nodes, amounts), std::invalid_argument);
  EXPECT_THROW(graph.Allocate(1, Tasks("-1x cpu=1"), Policy::kLonode, 0),
               std::invalid_argument);
  EXPECT_THROW(graph.Allocate(1, Tasks("1x cpu=-1"), Policy::kLonode, 0),
               std::invalid_argument);
  EXPECT_THROW(graph.Allocate(1, Tasks("1x cpu=1 for 0"), Policy::kLonode, 0),
               std::invalid_argument);
  EXPECT_THROW(graph.SetOpen(-1, true), std::invalid_argument);
  EXPECT_THROW(graph.AddNode("node0", 0, {}), std::invalid_argument);
  EXPECT_THROW(graph.SetTotals(0, std::vector<std::int64_t>{-1}),
               std::invalid_argument);
  EXPECT_EQ(graph.Describe(), before);
}

TEST(NodeGraph, DescribesWhatIsHeldWhereAndUntilWhen) {
  NodeGraph graph = Nodes(R"(
      node1 cpu=4 mem=8 id=1
      node0 cpu=2 closed)");
  graph.Allocate(7, Tasks("2x cpu=1 mem=2 for 60"), Policy::kLonode, 5);
  graph.Allocate(8, Tasks("1x cpu=1"), Policy::kLonode, 5);
  EXPECT_EQ(graph.Describe(),
            "node0 #0 closed cpu=2\n"
            "node1 #1 cpu=4 mem=8 | 7 [5,65) 2x cpu=1 mem=2 "
            "| 8 [5,ever) 1x cpu=1\n");
}

}  // namespace
}  // namespace fluxnetes::matcher
