#include "workers/graph/unschedulable_shapes.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

struct Tasks {
  int count = 1;
  std::int64_t cpu = 1;
  std::int64_t memory = 0;
};

matcher::Gang GangOf(const std::vector<Tasks>& groups,
                     matcher::Time duration = 60) {
  matcher::Gang gang;
  gang.duration = duration;
  for (const Tasks& group : groups)
    gang.groups.push_back({{group.cpu, group.memory}, nullptr, group.count});
  return gang;
}

matcher::NodeGraph OneNode() {
  matcher::NodeGraph graph({"cpu", "memory"});
  graph.AddNode("node0", 0, std::vector<std::int64_t>{4, 8});
  return graph;
}

TEST(UnschedulableShapes, WhatAsksForAsMuchForAsLongDoesNotFitEither) {
  const matcher::NodeGraph graph = OneNode();
  UnschedulableShapes unschedulable(graph);
  EXPECT_FALSE(unschedulable.Cover(GangOf({{3, 2}})));
  unschedulable.Note(GangOf({{3, 2}}));

  EXPECT_TRUE(unschedulable.Cover(GangOf({{3, 2}})));
  EXPECT_TRUE(unschedulable.Cover(GangOf({{4, 2}})));
  EXPECT_TRUE(unschedulable.Cover(GangOf({{3, 3, 1}}, 61)));
  EXPECT_TRUE(unschedulable.Cover(GangOf({{1, 1}, {3, 2}})));
  EXPECT_FALSE(unschedulable.Cover(GangOf({{2, 2}})));
  EXPECT_FALSE(unschedulable.Cover(GangOf({{3, 2}}, 59)));
  EXPECT_FALSE(unschedulable.Cover(GangOf({{3, 1, 8}})));
  EXPECT_FALSE(unschedulable.Cover(GangOf({{2, 2}, {1, 2}})));
}

TEST(UnschedulableShapes, OfOtherNodesNothingIsKnown) {
  const matcher::NodeGraph graph = OneNode();
  matcher::NodeSet first;
  first.Insert(0);
  matcher::Gang gang = GangOf({{3, 2}});
  gang.groups[0].eligible = &first;
  UnschedulableShapes unschedulable(graph);
  unschedulable.Note(gang);

  EXPECT_TRUE(unschedulable.Cover(gang));
  EXPECT_FALSE(unschedulable.Cover(GangOf({{3, 2}})));
}

TEST(UnschedulableShapes,
     GangsOfSeveralShapesOrThatAreTogetherSayNothingOfOthers) {
  const matcher::NodeGraph graph = OneNode();
  UnschedulableShapes unschedulable(graph);
  unschedulable.Note(GangOf({{1, 1}, {1, 4}}));
  matcher::Gang together = GangOf({{1, 2}});
  together.together = {"rack"};
  unschedulable.Note(together);

  EXPECT_FALSE(unschedulable.Cover(GangOf({{1, 1}, {1, 4}})));
  EXPECT_FALSE(unschedulable.Cover(GangOf({{1, 2}})));
}

TEST(UnschedulableShapes, WhatIsGivenBackMayFit) {
  matcher::NodeGraph graph = OneNode();
  ASSERT_TRUE(
      graph.TryAllocate(1, GangOf({{1, 3}}), matcher::Policy::kLonode, 0));
  ASSERT_FALSE(
      graph.TryAllocate(2, GangOf({{1, 2}}), matcher::Policy::kLonode, 0));
  UnschedulableShapes unschedulable(graph);
  unschedulable.Note(GangOf({{1, 2}}));
  EXPECT_TRUE(unschedulable.Cover(GangOf({{1, 2}})));

  graph.Cancel(1);
  EXPECT_FALSE(unschedulable.Cover(GangOf({{1, 2}})));
  EXPECT_TRUE(
      graph.TryAllocate(2, GangOf({{1, 2}}), matcher::Policy::kLonode, 0));
}

}  // namespace
}  // namespace fluxnetes::workers
