// How long jobs hold their amounts: ends, reservations, and released tasks.
#include <gtest/gtest.h>

#include <string>

#include "matcher/gangs/node_graph.h"
#include "tests/matcher/random/node_picture.h"

namespace fluxnetes::matcher {
namespace {

TEST(NodeGraph, JobThatOutlivesItsEndKeepsWhatItHolds) {
  NodeGraph graph = Nodes("node0 cpu=1");
  graph.Allocate(1, Tasks("1x cpu=1 for 10"), Policy::kLonode, 0);

  EXPECT_EQ(
      Show(graph,
           graph.Allocate(2, Tasks("1x cpu=1 for 5"), Policy::kLonode, 99), 99),
      "not now");
  EXPECT_EQ(Show(graph,
                 graph.AllocateOrReserve(2, Tasks("1x cpu=1 for 5"),
                                         Policy::kLonode, 99),
                 99),
            "at 100: node0");
  EXPECT_TRUE(graph.Cancel(1));
  EXPECT_TRUE(graph.Cancel(2));
  EXPECT_FALSE(graph.Cancel(2));
  EXPECT_EQ(Show(graph,
                 graph.Allocate(3, Tasks("1x cpu=1"), Policy::kLonode, 99), 99),
            "node0");
}

TEST(NodeGraph, ReservationIsAtTheEarliestEndAndIsRespected) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=2
      node1 cpu=2)");
  graph.Allocate(1, Tasks("2x cpu=1 for 60"), Policy::kLonode, 0);
  graph.Allocate(2, Tasks("1x cpu=1 for 100"), Policy::kLonode, 0);

  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(3, Tasks("2x cpu=2 for 50"),
                                                Policy::kLonode, 0)),
            "at 100: node0 node1");
  // Backfilling: a gang that ends before the reservation starts fits, a longer
  // one does not.
  EXPECT_EQ(Show(graph, graph.Allocate(4, Tasks("1x cpu=1 for 101"),
                                       Policy::kLonode, 0)),
            "not now");
  EXPECT_EQ(
      Show(graph, graph.Allocate(4, Tasks("1x cpu=1"), Policy::kLonode, 0)),
      "not now");
  EXPECT_EQ(Show(graph, graph.Allocate(4, Tasks("1x cpu=1 for 100"),
                                       Policy::kLonode, 0)),
            "node1");
  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(5, Tasks("2x cpu=1 for 40"),
                                                Policy::kLonode, 0)),
            "at 60: node0 node0");
}

TEST(NodeGraph, ReservationWhoseTimeHasComeIsHeld) {
  NodeGraph graph = Nodes("node0 cpu=1");
  graph.Allocate(1, Tasks("1x cpu=1 for 10"), Policy::kLonode, 0);
  graph.AllocateOrReserve(2, Tasks("1x cpu=1 for 10"), Policy::kLonode, 0);
  graph.Cancel(1);

  EXPECT_EQ(graph.Free(0, 9)[0], 1);
  EXPECT_EQ(graph.Free(0, 10)[0], 0);
  EXPECT_EQ(graph.Free(0, 99)[0], 0);
  EXPECT_EQ(graph.Free(0, 9)[0], 1);  // time may go back
  EXPECT_EQ(Show(graph,
                 graph.Allocate(3, Tasks("1x cpu=1"), Policy::kLonode, 20), 20),
            "not now");
}

TEST(NodeGraph, NoTimeWhereWhatRunsHasNoEnd) {
  NodeGraph graph = Nodes("node0 cpu=2");
  graph.Allocate(1, Tasks("1x cpu=1"), Policy::kLonode, 0);

  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(2, Tasks("1x cpu=2"),
                                                Policy::kLonode, 0)),
            "no time");
  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(2, Tasks("1x cpu=3"),
                                                Policy::kLonode, 0)),
            "never");
}

TEST(NodeGraph, TasksAreGivenBackOneByOne) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=2
      node1 cpu=2)");
  const std::string empty = graph.Describe();
  graph.Allocate(1, Tasks("3x cpu=1"), Policy::kLonode, 0);

  EXPECT_TRUE(graph.Release(1, 2));
  EXPECT_FALSE(graph.Release(1, 2));
  EXPECT_FALSE(graph.Release(1, 3));
  EXPECT_FALSE(graph.Release(1, -1));
  EXPECT_FALSE(graph.Release(9, 0));
  EXPECT_EQ(graph.Free(1, 0)[0], 2);
  EXPECT_EQ(graph.Free(0, 0)[0], 0);
  EXPECT_TRUE(graph.Release(1, 0));
  EXPECT_TRUE(graph.Release(1, 1));
  EXPECT_FALSE(graph.Cancel(1));
  EXPECT_EQ(graph.Describe(), empty);
}

TEST(NodeGraph, JobAllocatedAgainGetsItsTasksBehindTheOthers) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=1
      node1 cpu=1
      node2 cpu=1)");
  graph.Allocate(1, Tasks("2x cpu=1"), Policy::kLonode, 0);
  graph.Release(1, 0);
  graph.SetOpen(0, false);

  EXPECT_EQ(
      Show(graph, graph.Allocate(1, Tasks("1x cpu=1"), Policy::kLonode, 5), 5),
      "node2");
  EXPECT_FALSE(graph.Release(1, 0));
  EXPECT_TRUE(graph.Release(1, 2));
  EXPECT_EQ(graph.Free(2, 5)[0], 1);
  EXPECT_EQ(graph.Free(1, 5)[0], 0);
}

}  // namespace
}  // namespace fluxnetes::matcher
