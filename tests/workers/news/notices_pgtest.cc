#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/news/notices.h"

namespace fluxnetes::workers {
namespace {

class NoticesTest : public LifecycleTest {
 protected:
  NoticesTest() : notices(*jobs, *client, door, Notices::Options{}) {}

  void Notice(const std::string& reason, const std::string& condition) {
    database.Execute(
        "INSERT INTO jobs (kind, queue, args) VALUES ('notice', 'notice', "
        "'{\"namespace\": \"default\", \"pod\": \"a\", \"uid\": \"u\", "
        "\"reason\": \"" +
        reason +
        "\", \"message\": \"it''s so\", "
        "\"condition\": " +
        condition + "}')");
  }

  Notices notices;
};

TEST_F(NoticesTest, RefusedPodIsToldByAnEventAndItsCondition) {
  Create({.name = "a", .group = "train", .size = 0});
  Observe();
  EXPECT_FALSE(notices.RunOnce());
  ASSERT_EQ(door.events.size(), 1u);
  EXPECT_EQ(door.events[0].pod_name, "a");
  EXPECT_EQ(door.events[0].reason, "FailedScheduling");
  EXPECT_TRUE(door.events[0].warning);
  EXPECT_THAT(door.events[0].message,
              ::testing::HasSubstr("a group has at least one pod"));
  ASSERT_EQ(door.conditions.size(), 1u);
  EXPECT_EQ(door.conditions[0].reason, "Unschedulable");
  EXPECT_EQ(Jobs("notice"), "0");
  notices.RunOnce();
  EXPECT_EQ(door.events.size(), 1u);
}

TEST_F(NoticesTest, EventAndConditionHaveTheReasonsOfKubernetes) {
  Notice("FailedScheduling", "true");
  Notice("SchedulingGated", "true");
  Notice("FailedScheduling", "false");
  notices.RunOnce();
  ASSERT_EQ(door.events.size(), 3u);
  EXPECT_EQ(door.events[0].reason, "FailedScheduling");
  EXPECT_EQ(door.events[1].reason, "SchedulingGated");
  ASSERT_EQ(door.conditions.size(), 2u);
  EXPECT_EQ(door.conditions[0].reason, "Unschedulable");
  EXPECT_EQ(door.conditions[1].reason, "SchedulingGated");
}

TEST_F(NoticesTest, NoticesArePutOffWhileTheClusterIsAway) {
  Notice("FailedScheduling", "true");
  door.reachable = false;
  EXPECT_THROW(notices.RunOnce(), cluster::Unreachable);
  EXPECT_EQ(Ask("SELECT state FROM jobs"), "scheduled");
}

TEST_F(NoticesTest, PodWaitsSinceItWasCreatedAndHasOneEventOfEachNotice) {
  Create({.name = "a", .group = "train", .size = 0});
  Observe();
  door.after_record = [] { throw std::logic_error("killed"); };
  EXPECT_THROW(notices.RunOnce(), std::logic_error);
  database.Execute("UPDATE jobs SET state = 'available', client_id = NULL");
  Notices next(*jobs, *client, door, {});
  next.RunOnce();
  ASSERT_EQ(door.events.size(), 2u);
  EXPECT_TRUE(door.events[0].once);
  EXPECT_EQ(door.events[0].occasion, door.events[1].occasion);
  ASSERT_EQ(door.conditions.size(), 1u);
  EXPECT_EQ(door.conditions[0].since, door.GetPod("default", "a")->created_at);
}

TEST_F(NoticesTest, NoticeThatMakesNoSenseIsDiscarded) {
  database.Execute(
      "INSERT INTO jobs (kind, queue, args) VALUES "
      "('notice', 'notice', '{\"pod\": 7}')");
  Notice("FailedScheduling", "true");
  notices.RunOnce();
  EXPECT_EQ(door.events.size(), 1u);
  EXPECT_EQ(AskAll("SELECT state FROM jobs_finished ORDER BY id"),
            "discarded\ncompleted");
}

}  // namespace
}  // namespace fluxnetes::workers
