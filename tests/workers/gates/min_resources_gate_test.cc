#include "workers/gates/min_resources_gate.h"

#include <gtest/gtest.h>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

// The queue "apart" may use one of two nodes, "default" both.
class MinResourcesGateTest : public ::testing::Test {
 protected:
  MinResourcesGateTest() {
    story_.Nodes("n0 cpu=4 part=a\nn1 cpu=4 part=b\n");
    story_.schedule.SetQueue(
        {.name = "apart", .node_selector = {{"part", "a"}}});
  }

  // Adds a group of one pod of 1 cpu that needs 4 free cpus.
  void AddGroupThatWants4(int priority = 0) {
    AddGroupThatWants4("1x1", {.queue = "apart", .priority = priority});
  }
  void AddGroupThatWants4(const std::string& pods,
                          const GroupOptions& options) {
    PutGroupThatWants4(pods, options);
    const auto ready = gate_.LookAgain(story_.schedule, 0);
    EXPECT_EQ(ready.size(), 1U);
    for (const PendingGroup& one : ready) story_.schedule.Add(one);
  }
  // Returns true if the gate keeps the group.
  bool PutGroupThatWants4(const std::string& pods,
                          const GroupOptions& options) {
    const PendingGroup group = story_.MakeGroup(9, pods, options);
    cluster::Pod pod;
    pod.namespace_name = "default";
    pod.name = "train-0";
    pod.uid = group.members[0].uid;
    pod.labels[cluster::kCoschedulingLabel] = "train";
    pod.request = *group.members[0].request;
    Put(pod);
    cluster::PodGroup terms;
    terms.name = {cluster::PodGroupApi::kCoscheduling, "default", "train"};
    terms.min_resources.emplace().cpu_milli = 4'000;
    Put(terms);
    return !gate_.Put(group, story_.schedule);
  }

  // Decides, and returns what the gate leaves of the decision.
  std::string Decide() {
    Decision decision = story_.schedule.Decide(0, 100);
    gate_.HoldBack(decision, story_.schedule, 0);
    std::string placed;
    for (const Placed& each : decision.placed)
      placed += std::to_string(each.group) + ":" + each.members[0].node + " ";
    return placed;
  }

  template <typename Object>
  void Put(Object object) {
    const cluster::WatchEvent event{
        cluster::WatchEvent::Kind::kChanged,
        std::make_shared<const Object>(std::move(object))};
    cache_.Apply({&event, 1});
  }

  cluster::ClusterCache cache_;
  Story story_;
  MinResourcesGate gate_{cache_};
};

TEST_F(MinResourcesGateTest, WhatIsPlacedBeforeItTakesItsRoom) {
  AddGroupThatWants4();
  story_.Group("1x1", {.queue = "apart", .priority = 1});
  EXPECT_EQ(Decide(), "1:n0 ");
}

TEST_F(MinResourcesGateTest, WhatIsPlacedBehindItDoesNot) {
  AddGroupThatWants4(/*priority=*/1);
  story_.Group("1x1", {.selector = "part=a"});
  EXPECT_EQ(Decide(), "9:n0 1:n0 ");
}

// Both nodes are half full with other groups; one of them is evicted for it.
TEST_F(MinResourcesGateTest, OneForWhichOthersLeaveIsNotTakenOut) {
  story_.schedule.SetQueue({.preemption = Preemption::kLowerPriority});
  const GroupOptions options{.priority = 1};
  story_.Group("1x2", {.selector = "part=a"});
  story_.Group("1x2", {.selector = "part=b"});
  EXPECT_EQ(Decide(), "1:n0 2:n1 ");
  AddGroupThatWants4("1x3", options);
  EXPECT_EQ(Decide(), "");
  story_.Group("1x2", {.priority = 2, .selector = "part=a"});
  EXPECT_EQ(Decide(), "3:n0 ");
  EXPECT_TRUE(gate_.LookAgain(story_.schedule, 0).empty());
  EXPECT_FALSE(PutGroupThatWants4("1x3", options));  // as after a restart
  story_.End(2);
  EXPECT_EQ(Decide(), "9:n1 ");
}

TEST_F(MinResourcesGateTest,
       WhatIsPlacedBehindItOnNodesOfOtherQueuesGivesItNoRoom) {
  AddGroupThatWants4();
  story_.Group("1x1", {.queue = "apart", .priority = 1});
  story_.Group("1x1", {.priority = -1, .selector = "part=b"});
  EXPECT_EQ(Decide(), "1:n0 2:n1 ");
}

}  // namespace
}  // namespace fluxnetes::workers
