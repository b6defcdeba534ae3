// Pods and groups from their beginning to their end.
#include <csignal>

#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

TEST_F(OnKubernetes, PodThatEndsFreesItsPlaceAndItsSiblingsKeepTheirs) {
  Submit(Gang("train", 4, {.cpu = 2}));
  ASSERT_TRUE(Comes("train", "bound"));
  Submit(Gang("next", 1, {.cpu = 2}));
  EXPECT_TRUE(Waits("next"));
  const auto pods = PodsOf("train");
  EndPod(pods[0].name);
  EXPECT_TRUE(Comes("next", "bound"));
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(PodsOf("next")[0].node_name, pods[0].node_name);
}

TEST_F(OnKubernetes, DeletedJobLeavesNothingWhereverItWas) {
  Submit(Gang("runs", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("runs", "bound"));
  Submit(Gang("waits", 4, {.cpu = 2}));
  EXPECT_TRUE(Waits("waits"));
  Submit(Gang("fills", 4, {.absent = 1}));
  EXPECT_TRUE(Comes(
      [&] { return Ask("SELECT members FROM groups_provisional") == "3"; }));
  for (const char* job : {"runs", "waits", "fills"})
    Delete(std::string("jobs/") + job);
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

// Stopped at a step of the binder while the Job is deleted.
class DeletedWhile : public StoppedHalfway,
                     public ::testing::WithParamInterface<const char*> {};

TEST_P(DeletedWhile, TheJobLeavesNothing) {
  StartScheduler(
      {{"FLUXNETES_FAILPOINT", std::string(GetParam()) + ":1:pause"}});
  Submit(Gang("train", 4));
  ASSERT_TRUE(Comes([&] { return scheduler_->HasStopped(); }));
  Delete("jobs/train");
  EXPECT_TRUE(Comes([&] { return Pods().empty(); }));
  scheduler_->Signal(SIGCONT);
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
  Submit(Gang("next", 8));
  EXPECT_TRUE(Comes("next", "bound"));
}

INSTANTIATE_TEST_SUITE_P(Binder, DeletedWhile,
                         ::testing::Values("bind-leased", "bind-confirmed",
                                           "bind-posted"),
                         [](const auto& instance) {
                           return std::string(instance.param).substr(5);
                         });

TEST_F(OnKubernetes, FailedMemberIsReplacedByItsJobAndTakesTheSamePlace) {
  database_->Execute("UPDATE queues SET replacement_hold = '1 hour'");
  Submit(Gang("train", 4, {.cpu = 2}));
  ASSERT_TRUE(Comes("train", "bound"));
  const cluster::Pod failed = PodsOf("train")[2];
  Submit(Gang("greedy", 1, {.cpu = 2}));
  EXPECT_TRUE(Waits("greedy"));
  EndPod(failed.name, false);
  const auto replaced_by = [&]() -> std::string {
    for (const cluster::Pod& pod : PodsOf("train"))
      if (pod.completion_index == failed.completion_index &&
          pod.uid != failed.uid && !pod.node_name.empty())
        return pod.node_name;
    return "";
  };
  EXPECT_TRUE(Comes([&] { return !replaced_by().empty(); }));
  EXPECT_EQ(replaced_by(), failed.node_name);
  EXPECT_EQ(StateOf("greedy"), "pending");
}

TEST_F(OnKubernetes, MemberThatIsMadeAnewBeforeItIsBoundCompletesItsGroup) {
  for (const char* pod : {"a", "b"}) Submit(BarePod(pod, "trio", 3));
  EXPECT_TRUE(Comes(
      [&] { return Ask("SELECT members FROM groups_provisional") == "2"; }));
  Delete("pods/a");
  EXPECT_TRUE(Comes(
      [&] { return Ask("SELECT members FROM groups_provisional") == "1"; }));
  Submit(BarePod("c", "trio", 3));
  Submit(BarePod("a", "trio", 3));
  EXPECT_TRUE(Comes("trio", "bound"));
  EXPECT_EQ(Bound("trio"), 3);
}

TEST_F(OnKubernetes, GroupNameIsFreeAgainWhenItsGroupIsOver) {
  for (int i = 0; i < 2; ++i) {
    Submit(Gang("again", 4, {.cpu = 2}));
    ASSERT_TRUE(Comes("again", "bound"));
    EXPECT_EQ(Bound("again"), 4);
    ASSERT_TRUE(Comes([&] {
      EndGroup("again");
      return StateOf("again") == "succeeded";
    }));
    Delete("jobs/again");
    ASSERT_TRUE(Comes([&] { return PodsOf("again").empty(); }));
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), "2");
}

TEST_F(OnKubernetes, SameNameInTwoNamespacesIsTwoGroups) {
  const std::string other = AddNamespace();
  Submit(Gang("train", 2));
  Submit(Gang("train", 2), other);
  EXPECT_TRUE(Comes([&] { return Bound("train") == 4; }));
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT count(DISTINCT namespace) FROM pod_groups WHERE "
               "group_name = 'train' AND state = 'bound'") == "2";
  }));
}

TEST_F(OnKubernetes, SuspendedJobHoldsNothing) {
  Submit(Gang("sleepy", 4, {.cpu = 2, .job = "suspend: true"}));
  Submit(Gang("train", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("train", "bound"));
  Patch("jobs/sleepy", {{"spec", {{"suspend", false}}}});
  EXPECT_TRUE(Waits("sleepy"));
  EndGroup("train");
  EXPECT_TRUE(Comes("sleepy", "bound"));
  Patch("jobs/sleepy", {{"spec", {{"suspend", true}}}});
  EXPECT_TRUE(Comes([&] { return PodsOf("sleepy").empty(); }));
  Submit(Gang("next", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("next", "bound"));
}

TEST_F(OnKubernetes, AtItsDeadlineTheOwnerIsGoneAndTheResourcesAreFree) {
  Submit(Gang("late", 4, {.cpu = 2, .limit = 2}));
  EXPECT_TRUE(Comes([&] {  // it may be over before the test looks
    return StateOf("late") == "bound" || StateOf("late") == "timed out";
  }));
  Submit(Gang("next", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("late", "timed out"));
  EXPECT_TRUE(Comes([&] { return Get("jobs").at("items").size() == 1; }));
  EXPECT_TRUE(Comes("next", "bound"));
}

}  // namespace
}  // namespace fluxnetes::testing
