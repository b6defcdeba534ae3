#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/cleanup/cleanup.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;

class CancelTest : public LifecycleTest {
 protected:
  CancelTest()
      : cleanup(database.pool(), *jobs, *client, door, Cleanup::Options{}) {}

  int Cancel(const std::string& group) {
    return CancelGroup(database.pool(), "default", group, "no longer needed",
                       kNoon);
  }

  void Clean() {
    while (cleanup.RunOnce(kNoon)) {
    }
  }

  // Acts as the Job controller does after its Job was deleted.
  void RemovePods(const std::string& name, int count) {
    door.owners.erase("uid-of-" + name);
    for (int i = 0; i < count; ++i)
      door.Remove("default/" + name + "-" + std::to_string(i));
  }

  Cleanup cleanup;
};

TEST_F(CancelTest, UnknownGroupIsSaidToBeUnknown) {
  EXPECT_EQ(Cancel("train"), 0);
  EXPECT_EQ(Jobs("cleanup"), "0");
}

TEST_F(CancelTest, RunningGroupIsDeletedAndThenInTheHistory) {
  Run("train", 2);
  EXPECT_EQ(Cancel("train"), 1);
  EXPECT_EQ(Cancel("train"), 0);
  Clean();
  EXPECT_THAT(door.deleted, ElementsAre("Job default/train"));
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), "0");
  RemovePods("train", 2);
  Observe();
  Clean();
  EXPECT_EQ(AskAll("SELECT result, reason FROM group_history"),
            "cancelled|no longer needed");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
}

TEST_F(CancelTest, PendingGroupIsNotPlacedAnyMore) {
  CreateGang("train", 2);
  ObserveAndPromote();
  EXPECT_EQ(Cancel("train"), 1);
  EXPECT_EQ(AskAll("SELECT revision, cancel_reason FROM pod_groups"),
            "2|no longer needed");
  EXPECT_EQ(Ask("SELECT news FROM match_inbox ORDER BY id DESC"), "changed");
  Clean();
  RemovePods("train", 2);
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
}

TEST_F(CancelTest, AllocatedGroupEndsWithItsPods) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Allocate("train");
  EXPECT_EQ(Cancel("train"), 1);
  Clean();
  door.Remove("default/train-0");
  Observe();
  EXPECT_EQ(Filling("train"), "");  // it does not fill again
  door.owners.clear();
  door.Remove("default/train-1");
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
}

TEST_F(CancelTest, GroupThatFillsIsCancelledForGood) {
  CreateGang("train", 3, 2);
  Observe();
  EXPECT_EQ(Cancel("train"), 1);
  EXPECT_EQ(AskAll("SELECT result, reason, jsonb_array_length(pods) "
                   "FROM group_history"),
            "cancelled|no longer needed|2");
  door.ChangePod("default/train-0", [](cluster::Pod&) {});
  StartIntake();
  Observe();
  EXPECT_EQ(Filling("train"), "");
  Clean();
  EXPECT_THAT(door.deleted, ElementsAre("Job default/train"));
  RemovePods("train", 2);
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), "1");
}

TEST_F(CancelTest, AllGenerationsOfTheNameAreCancelled) {
  Run("train", 2);
  Create({.name = "next", .group = "train", .size = 2, .owner = "other"});
  Observe();
  EXPECT_EQ(Cancel("train"), 2);
}

TEST_F(CancelTest, PodsAfterACancellationAreTheNextGeneration) {
  Run("train", 2);
  Cancel("train");
  Create({.name = "late", .group = "train", .size = 2, .owner = "train"});
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
}

}  // namespace
}  // namespace fluxnetes::workers
