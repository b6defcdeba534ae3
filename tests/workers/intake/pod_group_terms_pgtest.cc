// The terms of a coscheduling PodGroup besides minMember: minResources and
// scheduleTimeoutSeconds.
#include "tests/workers/support/match_fixture.h"

namespace fluxnetes::workers {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// Three nodes with 64 cpu each.
class PodGroupTermsTest : public MatchTest {
 protected:
  void PutGroup(const std::string& name, std::int64_t cpu_milli) {
    cluster::PodGroup group;
    group.name = {cluster::PodGroupApi::kCoscheduling, "default", name};
    group.min_members = 2;
    group.min_resources.emplace();
    group.min_resources->cpu_milli = cpu_milli;
    door.Put(group);
  }

  // Two pods of 1 cpu.
  void CreatePods(const std::string& group) {
    for (const char* name : {"-0", "-1"}) {
      cluster::Pod pod = PodOf({.name = group + name});
      pod.labels[cluster::kCoschedulingLabel] = group;
      door.Put(pod);
    }
  }

  void PutUnmanaged(std::int64_t cpu_milli, const std::string& node = "n0") {
    cluster::Pod other = PodOf({.name = "on-" + node, .cpu = cpu_milli});
    other.scheduler_name = "default-scheduler";
    other.node_name = node;
    door.Put(other);
  }

  void Look() {
    ObserveAndPromote();
    Match();
  }

  std::string ReasonOf(const std::string& group) {
    return Ask(
        "SELECT coalesce(reason, '') FROM pod_groups WHERE group_name "
        "= '" +
        group + "'");
  }
};

TEST_F(PodGroupTermsTest, GroupWaitsUntilItsMinResourcesAreFree) {
  PutGroup("train", 140'000);
  PutUnmanaged(60'000);
  CreatePods("train");
  Look();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_THAT(ReasonOf("train"),
              HasSubstr("PodGroup default/train wants 140 cpu to be free in "
                        "sum before it starts (minResources)"));
  door.Remove("default/on-n0");
  Look();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(ReasonOf("train"), "");
}

TEST_F(PodGroupTermsTest, OthersGoBeforeAGroupThatLacksRoom) {
  PutGroup("train", 190'000);
  PutUnmanaged(60'000);
  CreatePods("train");
  CreateGang("small", 2);
  Look();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(StateOf("small"), "allocated");
}

TEST_F(PodGroupTermsTest, WhatThePodsAskForThemselvesIsNotLookedAtAgain) {
  PutGroup("train", 2'000);
  PutUnmanaged(63'000);
  SetNode("n1", 64'000, /*cordoned=*/true);
  SetNode("n2", 64'000, /*cordoned=*/true);
  CreatePods("train");
  Look();
  EXPECT_THAT(ReasonOf("train"), Not(HasSubstr("minResources")));
}

TEST_F(PodGroupTermsTest, OfTwoThatWantTheSameRoomTheFirstHasIt) {
  PutGroup("first", 191'000);
  PutGroup("second", 191'000);
  CreatePods("first");
  CreatePods("second");
  Look();
  EXPECT_EQ(StateOf("first"), "allocated");
  EXPECT_EQ(StateOf("second"), "pending queued");
  EXPECT_THAT(ReasonOf("second"), HasSubstr("minResources"));
}

TEST_F(PodGroupTermsTest, GroupThatWaitsForItsPlacesMayLoseItsRoom) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'900);
  for (const char* name : {"fill-0", "fill-1", "fill-2"})
    Create({.name = name, .group = "fill", .size = 3, .cpu = 960});
  Look();
  ASSERT_EQ(PlacesOf("fill"), "n0 n1 n2");
  PutGroup("train", 2'500);  // 2.82 are free, but less than 1 on each node
  CreatePods("train");
  Look();
  EXPECT_EQ(StateOf("train"), "pending reserved");
  EXPECT_EQ(ReasonOf("train"), "");
  PutUnmanaged(500);
  Look();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_THAT(ReasonOf("train"), HasSubstr("minResources"));
  SetNode("n2", 64'000);
  Look();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(ReasonOf("train"), "");
}

TEST_F(PodGroupTermsTest, MembersThatComeAnewNeedNoRoomButTheirOwn) {
  PutGroup("train", 150'000);
  CreatePods("train");
  Look();
  BindPlaced();
  PutUnmanaged(61'000);
  Observe();
  door.Remove("default/train-1");
  Observe();
  cluster::Pod again = PodOf({.name = "train-2"});
  again.labels[cluster::kCoschedulingLabel] = "train";
  door.Put(again);
  Look();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(PodGroupTermsTest, ScheduleTimeoutIsHowLongAGroupMayBeBoundInPart) {
  cluster::PodGroup group;
  group.name = {cluster::PodGroupApi::kCoscheduling, "default", "train"};
  group.min_members = 2;
  group.schedule_timeout = seconds(5);
  door.Put(group);
  CreatePods("train");
  Look();
  BindPlaced();
  database.Execute(
      "UPDATE pods SET state = 'waiting', node_name = NULL "
      "WHERE pod_name = 'train-1';"
      "UPDATE pods SET owner_uid = 'some' WHERE pod_name = 'train-0';"
      "UPDATE pod_groups SET state = 'pending', phase = 'queued', "
      "bound_at = NULL, first_in_line = true, went_back_at = allocated_at");
  overdue->GiveUp(kNoon + seconds(4));
  EXPECT_TRUE(door.deleted.empty());
  overdue->GiveUp(kNoon + seconds(6));
  ASSERT_EQ(door.deleted.size(), 1U);
  EXPECT_EQ(door.deleted[0], "Pod default/train-0");
  // Its time starts again, or its pods would be deleted for ever.
  overdue->GiveUp(kNoon + seconds(10));
  EXPECT_EQ(door.deleted.size(), 1U);
}

}  // namespace
}  // namespace fluxnetes::workers
