#include "workers/gates/scheduling_gates.h"

#include <gtest/gtest.h>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

class SchedulingGatesTest : public ::testing::Test {
 protected:
  SchedulingGatesTest() { story_.Nodes("n0 cpu=4\n"); }

  // Makes a group of one pod of 1 cpu, whose PodGroup wants 4 free cpus.
  PendingGroup GroupThatWants4(GroupId id) {
    PendingGroup group = story_.MakeGroup(id, "1x1", {});
    cluster::Pod pod;
    pod.namespace_name = "default";
    pod.name = "train-" + std::to_string(id);
    pod.uid = group.members[0].uid;
    pod.labels[cluster::kCoschedulingLabel] = "train";
    pod.request = *group.members[0].request;
    Put(std::move(pod));
    cluster::PodGroup terms;
    terms.name = {cluster::PodGroupApi::kCoscheduling, "default", "train"};
    terms.min_resources.emplace().cpu_milli = 4'000;
    Put(std::move(terms));
    return group;
  }

  template <typename Object>
  void Put(Object object) {
    const cluster::WatchEvent event{
        cluster::WatchEvent::Kind::kChanged,
        std::make_shared<const Object>(std::move(object))};
    cache_.Apply({&event, 1});
  }

  // Decides, and returns the reasons of the verdicts.
  std::string Review(matcher::Time now) {
    decision_ = story_.schedule.Decide(now, 100);
    gates_.Review(decision_, story_.schedule, now);
    std::string reasons;
    for (const Verdict& verdict : decision_.verdicts)
      reasons += verdict.reason.substr(0, verdict.reason.find(' ')) + "|";
    return reasons;
  }

  void LookAgain(matcher::Time now) {
    gates_.LookAgain(story_.schedule, now, 10);
  }

  cluster::ClusterCache cache_;
  Story story_;
  std::vector<GroupId> passed_;
  SchedulingGates gates_{cache_, true, [this](PendingGroup group) {
                           passed_.push_back(group.id);
                           story_.schedule.Add(std::move(group));
                         }};
  Decision decision_;
};

TEST_F(SchedulingGatesTest, AGroupThatNoGateKeepsPassesAtOnce) {
  gates_.Put(story_.MakeGroup(1, "1x1", {}), story_.schedule, 0);
  EXPECT_EQ(passed_, std::vector<GroupId>{1});
  EXPECT_EQ(Review(0), "");
  EXPECT_EQ(decision_.placed.size(), 1U);
}

TEST_F(SchedulingGatesTest, AGroupPassesTheGatesInTheirOrder) {
  story_.Group("1x1");  // takes room
  Review(0);
  PendingGroup group = GroupThatWants4(9);
  group.start_after = 10;
  gates_.Put(group, story_.schedule, 0);
  LookAgain(0);
  EXPECT_EQ(Review(0), "starts|");  // nothing is said of room yet
  EXPECT_EQ(gates_.NextDue(0), 10);
  LookAgain(10);
  EXPECT_EQ(Review(10), "waits|");
  EXPECT_TRUE(passed_.empty());
  story_.End(1);
  LookAgain(11);
  EXPECT_EQ(passed_, std::vector<GroupId>{9});
}

TEST_F(SchedulingGatesTest, ACallerWhoseGroupAGateKeepsIsTurnedDown) {
  PendingGroup group = story_.MakeGroup(2, "1x1", {});
  group.pressing = true;
  group.held = true;
  gates_.Put(group, story_.schedule, 0);
  Review(0);
  EXPECT_EQ(decision_.turned_down, std::vector<GroupId>{2});
}

TEST_F(SchedulingGatesTest, APlacementThatComesTooLateIsTakenBack) {
  PendingGroup group = story_.MakeGroup(3, "1x1", {});
  group.start_by = 5;
  gates_.Put(group, story_.schedule, 0);
  Review(5);
  EXPECT_TRUE(decision_.placed.empty());
  EXPECT_TRUE(story_.schedule.NodesOf(3).empty());
}

TEST_F(SchedulingGatesTest, AGroupThatLeavesIsForgottenByAll) {
  PendingGroup group = GroupThatWants4(4);
  group.start_after = 10;
  gates_.Put(group, story_.schedule, 0);
  gates_.Remove(4);
  LookAgain(10);
  EXPECT_TRUE(passed_.empty());
  EXPECT_EQ(gates_.NextDue(0), std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::workers
