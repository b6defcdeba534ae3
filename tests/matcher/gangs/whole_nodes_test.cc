// Gangs that have their nodes for themselves.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/nodes/shortfall.h"
#include "tests/matcher/random/node_picture.h"

namespace fluxnetes::matcher {
namespace {

Gang Whole(const char* tasks, JobId holder = 0) {
  Gang gang = Tasks(tasks);
  gang.whole_nodes = true;
  gang.holder = holder;
  return gang;
}

std::string Place(NodeGraph& graph, JobId job, const Gang& gang, Time now) {
  return Show(graph, graph.Allocate(job, gang, Policy::kLonode, now), now);
}

std::string Reserve(NodeGraph& graph, JobId job, const Gang& gang, Time now) {
  return Show(graph, graph.AllocateOrReserve(job, gang, Policy::kLonode, now),
              now);
}

TEST(WholeNodes, NothingElseIsPlacedWhereAGangHasTheNode) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  EXPECT_EQ(Place(graph, 1, Whole("1x cpu=1"), 0), "node0");
  EXPECT_EQ(Place(graph, 2, Tasks("4x cpu=1"), 0), "node1 node1 node1 node1");
  EXPECT_EQ(Place(graph, 3, Tasks("1x cpu=1"), 0), "not now");
  EXPECT_EQ(Place(graph, 3, Whole("1x cpu=1"), 0), "not now");
  EXPECT_TRUE(graph.Cancel(1));
  EXPECT_EQ(Place(graph, 3, Tasks("1x cpu=1"), 0), "node0");
}

TEST(WholeNodes, GangGoesOnlyWhereNothingElseIs) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  EXPECT_EQ(Place(graph, 1, Tasks("1x cpu=1"), 0), "node0");
  EXPECT_EQ(Place(graph, 2, Whole("5x cpu=1"), 0), "not now");
  EXPECT_EQ(Place(graph, 2, Whole("4x cpu=1"), 0), "node1 node1 node1 node1");
}

TEST(WholeNodes, TasksOfTheGangShareItsNodes) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  EXPECT_EQ(Place(graph, 1, Whole("3x cpu=1 + 1x cpu=3"), 0),
            "node0 node0 node0 node1");
  EXPECT_EQ(Place(graph, 1, Whole("1x cpu=1"), 0), "node0");
  EXPECT_EQ(Place(graph, 2, Whole("1x cpu=1"), 0), "not now");
}

TEST(WholeNodes, NodeStaysClosedUntilTheLastTaskIsReleased) {
  NodeGraph graph = Nodes("node0 cpu=4");
  EXPECT_EQ(Place(graph, 1, Whole("2x cpu=1"), 0), "node0 node0");
  EXPECT_TRUE(graph.Release(1, 0));
  EXPECT_EQ(Place(graph, 2, Tasks("1x cpu=1"), 0), "not now");
  EXPECT_TRUE(graph.Release(1, 1));
  EXPECT_EQ(Place(graph, 2, Tasks("1x cpu=1"), 0), "node0");
}

TEST(WholeNodes, HoldOverTime) {
  NodeGraph graph = Nodes("node0 cpu=4");
  EXPECT_EQ(Place(graph, 1, Tasks("1x cpu=1 for 10"), 0), "node0");
  EXPECT_EQ(Reserve(graph, 2, Whole("1x cpu=1 for 10"), 0), "at 10: node0");
  // Beside the reservation there is room, but not for others.
  EXPECT_EQ(Place(graph, 3, Tasks("1x cpu=1 for 11"), 0), "not now");
  EXPECT_EQ(Place(graph, 3, Tasks("1x cpu=1 for 10"), 0), "node0");
  EXPECT_EQ(Reserve(graph, 4, Tasks("1x cpu=1 for 10"), 5), "at 20: node0");
  EXPECT_EQ(Reserve(graph, 5, Whole("1x cpu=1 for 10"), 5), "at 30: node0");
}

TEST(WholeNodes, ReservationMovesEarlierWhenTheNodeIsLeft) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  EXPECT_EQ(Place(graph, 1, Tasks("1x cpu=4 for 50"), 0), "node0");
  EXPECT_EQ(Place(graph, 2, Tasks("1x cpu=1 for 40"), 0), "node1");
  const Gang gang = Whole("2x cpu=1 for 10");
  const auto match = graph.AllocateOrReserve(3, gang, Policy::kLonode, 0);
  EXPECT_EQ(Show(graph, match), "at 40: node1 node1");
  EXPECT_TRUE(graph.Cancel(2));
  Shortfall shortfall;
  const auto moved = graph.MoveEarlier(3, gang, std::get<Placement>(match),
                                       Policy::kLonode, 5, shortfall);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->start, 5);
}

TEST(WholeNodes, GangsOfOneHolderShareNodes) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  EXPECT_EQ(Place(graph, 7, Whole("1x cpu=1 for 20"), 0), "node0");
  EXPECT_EQ(Place(graph, 8, Whole("3x cpu=1 for 10", 7), 0),
            "node0 node0 node0");
  EXPECT_EQ(Place(graph, 9, Tasks("1x cpu=4 for 100"), 0), "node1");
  // The rest of the holder's node is free for it alone once its tasks end.
  EXPECT_EQ(Reserve(graph, 10, Whole("1x cpu=2 for 5", 7), 1), "at 10: node0");
  EXPECT_EQ(Reserve(graph, 11, Whole("1x cpu=2 for 5"), 1), "at 20: node0");
}

TEST(WholeNodes, HolderDoesNotOutstayItsNodeIntoAReservation) {
  NodeGraph graph = Nodes("node0 cpu=4");
  EXPECT_EQ(Place(graph, 7, Whole("1x cpu=1 for 20"), 0), "node0");
  EXPECT_EQ(Reserve(graph, 8, Tasks("1x cpu=1 for 10"), 0), "at 20: node0");
  EXPECT_EQ(Place(graph, 9, Whole("1x cpu=1 for 30", 7), 1), "not now");
  EXPECT_EQ(Place(graph, 9, Whole("1x cpu=1 for 19", 7), 1), "node0");
}

TEST(WholeNodes, OccupantsOfOtherSchedulersKeepAGangAway) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  const std::vector<std::int64_t> one = {1};
  graph.SetUnmanaged(0, one, {}, /*occupants=*/1);
  graph.SetUnmanaged(1, one, {}, /*occupants=*/0);
  EXPECT_EQ(Place(graph, 1, Whole("1x cpu=1"), 0), "node1");
  EXPECT_EQ(Place(graph, 2, Whole("1x cpu=1"), 0), "not now");
  EXPECT_EQ(Place(graph, 2, Whole("4x cpu=1"), 0), "never");
  EXPECT_EQ(Place(graph, 2, Tasks("1x cpu=1"), 0), "node0");
}

TEST(WholeNodes, GangAsideIsNoOccupant) {
  NodeGraph graph = Nodes("node0 cpu=4");
  Gang aside = Tasks("1x cpu=1");
  aside.aside = true;
  EXPECT_EQ(Place(graph, 1, aside, 0), "node0");
  EXPECT_EQ(Place(graph, 2, Whole("1x cpu=1"), 0), "node0");
  EXPECT_EQ(Place(graph, 3, aside, 0), "node0");
}

TEST(WholeNodes, AreRestored) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  EXPECT_EQ(Place(graph, 1, Tasks("1x cpu=1"), 0), "node0");
  const std::vector<NodeIndex> nodes = {1};
  const std::vector<std::vector<std::int64_t>> amounts = {{1}};
  graph.Restore(2, 0, kForever, nodes, amounts, {}, {.whole_nodes = true});
  EXPECT_EQ(Place(graph, 3, Tasks("4x cpu=1"), 0), "not now");
  EXPECT_EQ(Place(graph, 3, Tasks("3x cpu=1"), 0), "node0 node0 node0");
  EXPECT_EQ(Place(graph, 2, Whole("1x cpu=1"), 0), "node1");
}

TEST(WholeNodes, OtherResourceMayBeAddedLater) {
  NodeGraph graph = Nodes("node0 cpu=4");
  EXPECT_EQ(Place(graph, 1, Whole("1x cpu=1"), 0), "node0");
  graph.AddResource("fpga");
  const std::vector<std::int64_t> totals = {4, 0, 0, 2};
  graph.SetTotals(0, totals);
  Gang fpga = Tasks("1x cpu=1");
  fpga.groups[0].amounts = {1, 0, 0, 1};
  EXPECT_EQ(Place(graph, 2, fpga, 0), "not now");
  EXPECT_TRUE(graph.Cancel(1));
  EXPECT_EQ(Place(graph, 2, fpga, 0), "node0");
  EXPECT_EQ(graph.Free(0, 0), (std::vector<std::int64_t>{3, 0, 0, 1}));
}

TEST(WholeNodes, RoomIsOnlyWhereOthersLeaveIt) {
  NodeGraph graph = Nodes("node0 cpu=4");
  EXPECT_EQ(Place(graph, 1, Whole("1x cpu=1 for 10"), 0), "node0");
  const std::vector<NodeIndex> nodes = {0};
  const std::vector<std::vector<std::int64_t>> amounts = {{1}};
  const auto has = [&](Time start, const Seating& seating) {
    return graph.HasRoom(start, start + 5, nodes, amounts, 0, seating);
  };
  EXPECT_FALSE(has(5, {}));
  EXPECT_TRUE(has(10, {}));
  EXPECT_FALSE(has(5, {.whole_nodes = true, .holder = 2}));
  EXPECT_TRUE(has(5, {.whole_nodes = true, .holder = 1}));
  EXPECT_TRUE(has(5, {.aside = true}));
}

TEST(WholeNodes, ExplanationCountsTheNodesOfOthers) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4
      node2 cpu=1)");
  EXPECT_EQ(Place(graph, 1, Tasks("1x cpu=1"), 0), "node0");
  const Explanation found =
      graph.Explain(Whole("2x cpu=4"), Policy::kLonode, 0);
  EXPECT_EQ(found.fit, 1);
  ASSERT_EQ(found.groups[0].exclusions.size(), 2u);
  EXPECT_EQ(found.groups[0].exclusions[0].obstacle, Obstacle::kSeats);
  EXPECT_EQ(found.groups[0].exclusions[0].first, 1);
}

TEST(WholeNodes, GangAsideHasNone) {
  NodeGraph graph = Nodes("node0 cpu=4");
  Gang gang = Whole("1x cpu=1");
  gang.aside = true;
  EXPECT_THROW((void)graph.Allocate(1, gang, Policy::kLonode, 0),
               std::invalid_argument);
}

}  // namespace
}  // namespace fluxnetes::matcher
