// Statuses of PodGroups, from pods to the writes to the cluster.
#include <gmock/gmock.h>

#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/news/group_statuses.h"

namespace fluxnetes::workers {
namespace {

using cluster::PodGroupApi;
using std::chrono::seconds;
using ::testing::IsEmpty;

class GroupStatusesTest : public LifecycleTest {
 protected:
  GroupStatusesTest() { Start(); }

  // Starts another process, which reads this many events at once.
  void Start(int events = 1'024) {
    StartIntake({.events = events, .on_pod_groups = [this](const auto& groups) {
                   statuses->Note(groups);
                 }});
    statuses = std::make_unique<GroupStatuses>(door, *cache, bindings,
                                               GroupStatuses::Options{});
  }

  void CreateFor(const std::string& name, PodGroupApi api) {
    cluster::Pod pod = PodOf({.name = name, .owner = "job"});
    if (api == PodGroupApi::kNative) {
      pod.scheduling_group = "workers";
    } else {
      pod.labels[cluster::kCoschedulingLabel] = "workers";
    }
    door.Put(std::move(pod));
  }
  void PutGroup(PodGroupApi api, int size) {
    door.PutGroup({api, "default", "workers"}, size);
  }
  void Place(const std::string& pod) {
    door.ChangePod("default/" + pod,
                   [](cluster::Pod& p) { p.node_name = "n0"; });
  }
  void Run(const std::string& pod) {
    door.ChangePod("default/" + pod, [](cluster::Pod& p) {
      p.node_name = "n0";
      p.phase = cluster::PodPhase::kRunning;
    });
  }

  void Tell(cluster::Time now = kNoon) {
    Observe(now);
    while (statuses->RunOnce(now)) {
    }
  }
  // The phases or conditions written since the last call.
  std::string Written() {
    std::string said;
    for (const cluster::PodGroupNews& news : door.group_news) {
      said += (said.empty() ? "" : ", ") + news.status.phase +
              news.status.condition;
      if (!news.status.reason.empty()) said += " " + news.status.reason;
    }
    door.group_news.clear();
    return said;
  }

  BindingLedger bindings;
  std::unique_ptr<GroupStatuses> statuses;
};

TEST_F(GroupStatusesTest, CoschedulingGroupIsToldHowItStandsOncePerChange) {
  PutGroup(PodGroupApi::kCoscheduling, 2);
  CreateFor("a", PodGroupApi::kCoscheduling);
  Tell();
  EXPECT_EQ(Written(), "Pending");
  CreateFor("b", PodGroupApi::kCoscheduling);
  Tell();
  EXPECT_EQ(Written(), "Scheduling");
  Run("a");
  Run("b");
  Tell();
  ASSERT_EQ(door.group_news.size(), 1U);
  EXPECT_EQ(door.group_news[0].status.running, 2);
  EXPECT_EQ(door.group_news[0].status.occupied_by, "default/job");
  EXPECT_EQ(Written(), "Running");
  intake->CompareEverything();
  Tell();
  EXPECT_EQ(Written(), "");
  door.End("default/a", cluster::PodPhase::kSucceeded);
  door.End("default/b", cluster::PodPhase::kSucceeded);
  Tell();
  EXPECT_EQ(Written(), "Finished");
}

TEST_F(GroupStatusesTest, NothingIsToldOfAListThatHasNotEnded) {
  PutGroup(PodGroupApi::kCoscheduling, 2);
  CreateFor("a", PodGroupApi::kCoscheduling);
  CreateFor("b", PodGroupApi::kCoscheduling);
  Tell();
  EXPECT_EQ(Written(), "Scheduling");
  Start(/*events=*/1);
  while (!cache->Synced()) {
    intake->RunOnce(kNoon);
    statuses->RunOnce(kNoon);
  }
  Tell();
  EXPECT_EQ(Written(), "");
}

TEST_F(GroupStatusesTest, NextProcessWritesWhatIsMissingAndNothingElse) {
  PutGroup(PodGroupApi::kCoscheduling, 1);
  CreateFor("a", PodGroupApi::kCoscheduling);
  Tell();
  Written();
  Start();
  Tell();
  EXPECT_EQ(Written(), "") << "it says so already";
  Run("a");
  Observe();  // and the process dies before it writes
  Start();
  Tell();
  EXPECT_EQ(Written(), "Running");
}

TEST_F(GroupStatusesTest, WhatWasWrittenCountsBeforeTheWatchTellsOfIt) {
  PutGroup(PodGroupApi::kCoscheduling, 1);
  CreateFor("a", PodGroupApi::kCoscheduling);
  Tell();
  EXPECT_EQ(Written(), "Scheduling");
  const cluster::PodGroupName name{PodGroupApi::kCoscheduling, "default",
                                   "workers"};
  statuses->Note({&name, 1});
  statuses->RunOnce(kNoon);
  EXPECT_EQ(Written(), "");
}

TEST_F(GroupStatusesTest, GroupThatComesAfterItsPodsIsToldTheSame) {
  CreateFor("a", PodGroupApi::kCoscheduling);
  Tell();
  EXPECT_EQ(Written(), "");
  PutGroup(PodGroupApi::kCoscheduling, 1);
  Tell();
  EXPECT_EQ(Written(), "Scheduling");
}

TEST_F(GroupStatusesTest, NativeGroupIsToldWhyItCannotBePlacedAndThatItWas) {
  PutGroup(PodGroupApi::kNative, 1);
  CreateFor("a", PodGroupApi::kNative);
  Tell();
  EXPECT_EQ(Written(), "");
  const std::string uid = cache->Pods().front()->uid;
  statuses->NoteWhy(uid, "no node has 64 cpu");
  Tell();
  ASSERT_EQ(door.group_news.size(), 1U);
  EXPECT_EQ(door.group_news[0].status.message, "no node has 64 cpu");
  EXPECT_TRUE(door.group_news[0].turned);
  EXPECT_EQ(Written(), "False Unschedulable");
  statuses->NoteWhy(uid, "no node has 64 cpu");
  Tell();
  EXPECT_EQ(Written(), "");
  statuses->NoteWhy(uid, "no node has 63 cpu");
  Tell();
  ASSERT_EQ(door.group_news.size(), 1U);
  EXPECT_FALSE(door.group_news[0].turned);
  Written();
  Place("a");
  Tell();
  EXPECT_EQ(Written(), "True Scheduled");
}

TEST_F(GroupStatusesTest, GroupOfAnotherSchedulersPodsIsLeftAlone) {
  PutGroup(PodGroupApi::kCoscheduling, 1);
  cluster::Pod pod = PodOf({.name = "a"});
  pod.scheduler_name = "coscheduling";
  pod.labels[cluster::kCoschedulingLabel] = "workers";
  door.Put(std::move(pod));
  Tell();
  PutGroup(PodGroupApi::kCoscheduling, 2);
  Tell();
  EXPECT_THAT(door.group_news, IsEmpty());
}

TEST_F(GroupStatusesTest, WhatIsRefusedIsTriedLessAndLessOften) {
  PutGroup(PodGroupApi::kCoscheduling, 1);
  CreateFor("a", PodGroupApi::kCoscheduling);
  Observe();
  door.refuses_statuses = true;
  for (int i = 0; i < 3'600; ++i) statuses->RunOnce(kNoon + seconds(i));
  EXPECT_GT(door.refused_statuses, 5);
  EXPECT_LT(door.refused_statuses, 20);
  door.refuses_statuses = false;
  statuses->RunOnce(kNoon + seconds(7'200));
  EXPECT_EQ(Written(), "Scheduling");
}

TEST_F(GroupStatusesTest, NothingIsLostWhileTheClusterIsAway) {
  PutGroup(PodGroupApi::kCoscheduling, 1);
  CreateFor("a", PodGroupApi::kCoscheduling);
  Observe();
  door.reachable = false;
  EXPECT_THROW(statuses->RunOnce(kNoon), cluster::Unreachable);
  door.reachable = true;
  statuses->RunOnce(kNoon);
  EXPECT_EQ(Written(), "Scheduling");
}

TEST_F(GroupStatusesTest, StatusStandsBehindBindingsButNotForEver) {
  PutGroup(PodGroupApi::kCoscheduling, 1);
  CreateFor("a", PodGroupApi::kCoscheduling);
  bindings.Begin({"another"});
  Tell();
  EXPECT_EQ(Written(), "");
  Tell(kNoon + seconds(30));
  EXPECT_EQ(Written(), "Scheduling");
}

}  // namespace
}  // namespace fluxnetes::workers
