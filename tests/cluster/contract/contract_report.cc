#include "tests/cluster/contract/contract.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::milliseconds;

TEST_P(ClusterContract, EventsAreRecordedOnPodsThatAreThere) {
  const auto pod = AddPod("a");
  const std::vector<PodEvent> events = {
      {"default", "gone", "gone-uid", true, "FailedScheduling", "x"},
      {"default", "a", pod->uid, true, "FailedScheduling", "\"0\" of 3 \\ %"},
      {"default", "a", pod->uid, false, "Scheduled", "to node0"}};
  Door().Record(events);
  std::vector<PodEvent> recorded;
  ASSERT_TRUE(Until([&] {
    recorded = Behind().EventsOf(pod->uid);
    return recorded.size() == 2;
  }));
  EXPECT_EQ(recorded[0].reason, "FailedScheduling");
  EXPECT_EQ(recorded[0].message, "\"0\" of 3 \\ %");
  EXPECT_TRUE(recorded[0].warning);
  EXPECT_EQ(recorded[1].reason, "Scheduled");
  EXPECT_FALSE(recorded[1].warning);
}

TEST_P(ClusterContract, ConditionIsSetAndRaisesTheVersion) {
  const auto pod = AddPod("a");
  const std::vector<PodCondition> conditions = {
      {"default", "gone", "gone-uid", "Unschedulable", "x"},
      {"default", "a", pod->uid, "Unschedulable", "needs 8 \xC3\x97 2 cpu"}};
  Door().SetConditions(conditions);
  ASSERT_TRUE(
      Until([&] { return Behind().ConditionOf("default", "a").has_value(); }));
  EXPECT_EQ(Behind().ConditionOf("default", "a")->reason, "Unschedulable");
  EXPECT_EQ(Behind().ConditionOf("default", "a")->message,
            "needs 8 \xC3\x97 2 cpu");
  const auto version = Door().GetPod("default", "a")->resource_version;
  EXPECT_NE(version, pod->resource_version);
  Door().SetConditions(conditions);
  EXPECT_EQ(Door().GetPod("default", "a")->resource_version, version);
}

TEST_P(ClusterContract, ConditionIsNotSetOnAPodThatHasChanged) {
  const auto pod = AddPod("a");
  std::vector<PodCondition> conditions = {
      {"default", "gone", "gone-uid", "Unschedulable", "x", "1"},
      {"default", "a", pod->uid, "Unschedulable", "x", pod->resource_version}};
  const auto results = Door().SetConditions(conditions);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].outcome, StatusOutcome::kConflict);
  EXPECT_EQ(results[1].outcome, StatusOutcome::kSet);
  const auto now = Door().GetPod("default", "a")->resource_version;
  EXPECT_EQ(results[1].resource_version, now);
  conditions[1].message = "y";
  EXPECT_EQ(Door().SetConditions(conditions)[1].outcome,
            StatusOutcome::kConflict);
  EXPECT_EQ(Door().GetPod("default", "a")->resource_version, now);
  EXPECT_EQ(Behind().ConditionOf("default", "a")->message, "x");
  // Another pod of this name, at any version.
  conditions[0] = {"default", "a", "other-uid", "Unschedulable", "z", ""};
  EXPECT_EQ(Door().SetConditions(conditions)[0].outcome,
            StatusOutcome::kConflict);
  conditions[1].resource_version = now;
  EXPECT_EQ(Door().SetConditions(conditions)[1].outcome, StatusOutcome::kSet);
  EXPECT_EQ(Behind().ConditionOf("default", "a")->message, "y");
}

TEST_P(ClusterContract, BoundPodsAreToldThatTheyAreToGo) {
  AddNodes(1);
  const auto pod = AddPod("a", {.length = std::nullopt});
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  PodCondition condition{"default", "a", pod->uid, "PreemptionByScheduler",
                         "for b"};
  condition.type = PodCondition::Type::kDisruptionTarget;
  EXPECT_EQ(Door().SetConditions({&condition, 1})[0].outcome,
            StatusOutcome::kSet);
  ASSERT_TRUE(
      Until([&] { return Behind().ConditionOf("default", "a").has_value(); }));
  EXPECT_EQ(Behind().ConditionOf("default", "a")->type, condition.type);
  EXPECT_EQ(Behind().ConditionOf("default", "a")->message, "for b");
}

TEST_P(ClusterContract, PodsRunAndEndAsTheySay) {
  AddNodes(1);
  const auto good = AddPod("good", {.length = milliseconds(20)});
  const auto bad = AddPod("bad", {.length = milliseconds(20), .exit_code = 3});
  ASSERT_EQ(Bind(BindingOf(*good)).outcome, BindOutcome::kBound);
  ASSERT_EQ(Bind(BindingOf(*bad)).outcome, BindOutcome::kBound);
  EXPECT_TRUE(Until([&] {
    return cache_.Synced() &&
           cache_.PodByUid(good->uid)->phase == PodPhase::kSucceeded &&
           cache_.PodByUid(bad->uid)->phase == PodPhase::kFailed;
  }));
}

TEST_P(ClusterContract, KubeletRefusesWhatDoesNotFit) {
  AddNodes(1);
  std::vector<PodPointer> pods;
  for (int i = 0; i < 65; ++i) {
    pods.push_back(AddPod("pod" + std::to_string(i), {.length = std::nullopt}));
    ASSERT_EQ(Bind(BindingOf(*pods.back())).outcome, BindOutcome::kBound);
  }
  ASSERT_TRUE(Until([&] {
    return cache_.Synced() &&
           cache_.PodByUid(pods.back()->uid)->phase == PodPhase::kFailed;
  }));
  EXPECT_EQ(cache_.PodByUid(pods.back()->uid)->reason, "OutOfcpu");
  EXPECT_EQ(cache_.PodsOnNode("node0").size(), 64U);
}

}  // namespace
}  // namespace fluxnetes::cluster
