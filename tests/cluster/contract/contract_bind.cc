#include <gmock/gmock.h>

#include "tests/cluster/contract/contract.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::AnyOf;
using ::testing::IsEmpty;

TEST_P(ClusterContract, BindingGivesThePodItsNodeAndIsTold) {
  AddNodes(1);
  ASSERT_TRUE(UntilSynced());
  const auto pod = AddPod("a", {.length = std::nullopt});
  EXPECT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  ASSERT_TRUE(Until([&] {
    const auto seen = cache_.PodByUid(pod->uid);
    return seen && seen->phase == PodPhase::kRunning;
  }));
  EXPECT_EQ(cache_.PodByUid(pod->uid)->node_name, "node0");
  EXPECT_EQ(Behind().Bindings().size(), 1U);
}

TEST_P(ClusterContract, BoundPodIsBoundOnce) {
  AddNodes(2);
  const auto pod = AddPod("a");
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  auto again = BindingOf(*pod, "node1");
  again.resource_version = "";
  EXPECT_EQ(Bind(again).outcome, BindOutcome::kConflict);
  // Repeating the binding changes nothing; an implementation may report it as
  // done.
  again.node_name = "node0";
  const auto harmless = AnyOf(BindOutcome::kConflict, BindOutcome::kBound);
  EXPECT_THAT(Bind(again).outcome, harmless);
  EXPECT_THAT(Bind(BindingOf(*pod)).outcome, harmless);
  EXPECT_EQ(Door().GetPod("default", "a")->node_name, "node0");
  EXPECT_EQ(Behind().Bindings().size(), 1U);
}

TEST_P(ClusterContract, BindingOfAnotherUidOrVersionIsAConflict) {
  AddNodes(1);
  const auto pod = AddPod("a");
  auto other = BindingOf(*pod);
  other.uid = "00000000-0000-4000-8000-000000000000";
  EXPECT_EQ(Bind(other).outcome, BindOutcome::kConflict);
  other = BindingOf(*pod);
  other.resource_version = "1";
  const BindResult result = Bind(other);
  EXPECT_EQ(result.outcome, BindOutcome::kConflict);
  EXPECT_NE(result.message, "");
  EXPECT_THAT(Behind().Bindings(), IsEmpty());
  other.resource_version = "";
  EXPECT_EQ(Bind(other).outcome, BindOutcome::kBound);
}

TEST_P(ClusterContract, PodThatIsGoneCannotBeBound) {
  AddNodes(1);
  const auto pod = AddPod("a");
  ASSERT_TRUE(Behind().Delete({"Pod", "default", "a", ""}));
  EXPECT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kGone);
}

TEST_P(ClusterContract, PodThatWasMadeAnewIsNotBoundByTheOldUid) {
  AddNodes(1);
  const auto old = AddPod("a");
  ASSERT_TRUE(Behind().Delete({"Pod", "default", "a", ""}));
  const auto fresh = AddPod("a");
  EXPECT_NE(fresh->uid, old->uid);
  EXPECT_EQ(Bind(BindingOf(*old)).outcome, BindOutcome::kConflict);
}

TEST_P(ClusterContract, GatedPodCannotBeBound) {
  AddNodes(1);
  PodTemplate wish;
  wish.pod.namespace_name = "default";
  wish.pod.name = "a";
  wish.pod.gated = true;
  wish.pod.request.resources.pods = 1;
  const auto pod = Behind().CreatePod(wish);
  EXPECT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kConflict);
  Behind().LiftGates("default", "a");
  EXPECT_EQ(Bind(BindingOf(*Door().GetPod("default", "a"))).outcome,
            BindOutcome::kBound);
}

TEST_P(ClusterContract, ManyBindingsAreAnsweredInTheirOrder) {
  AddNodes(4);
  std::vector<Binding> bindings;
  std::vector<BindOutcome> expected;
  for (int i = 0; i < 120; ++i) {
    const auto pod = AddPod("pod" + std::to_string(i));
    auto binding = BindingOf(*pod, "node" + std::to_string(i % 4));
    expected.push_back(static_cast<BindOutcome>(i % 3));
    if (i % 3 == 1) binding.resource_version = "1";
    if (i % 3 == 2) binding.pod_name += "-gone";
    bindings.push_back(binding);
  }
  const auto results = Door().Bind(bindings, kDeadline);
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].outcome, expected[i]) << i << results[i].message;
  }
}

TEST_P(ClusterContract, RefusedBindingIsAValue) {
  AddNodes(1);
  const auto pod = AddPod("a");
  Behind().FailBinds(BindFault::kRefused, 1);
  const BindResult result = Bind(BindingOf(*pod));
  EXPECT_EQ(result.outcome, BindOutcome::kRefused);
  EXPECT_NE(result.message, "");
  EXPECT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
}

TEST_P(ClusterContract, TouchMakesAnOlderBindingAConflict) {
  AddNodes(1);
  const auto pod = AddPod("a");
  const std::string version = Touch("a", pod->uid).resource_version;
  ASSERT_NE(version, "");
  EXPECT_NE(version, pod->resource_version);
  EXPECT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kConflict);
  auto current = BindingOf(*pod);
  current.resource_version = version;
  EXPECT_EQ(Bind(current).outcome, BindOutcome::kBound);
}

TEST_P(ClusterContract, WhatIsGoneOrBoundIsNotTouched) {
  AddNodes(1);
  const auto pod = AddPod("a");
  for (const auto& [name, uid] :
       {std::pair("nobody", pod->uid), std::pair("a", std::string("other"))}) {
    const TouchResult result = Touch(name, uid);
    EXPECT_EQ(result.resource_version, "") << name;
    EXPECT_EQ(result.bound, nullptr) << name;
  }
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  const TouchResult result = Touch("a", pod->uid);
  EXPECT_EQ(result.resource_version, "");
  ASSERT_NE(result.bound, nullptr);
  EXPECT_NE(result.bound->node_name, "");
}

TEST_P(ClusterContract, ManyAreTouchedEachWithItsResult) {
  AddNodes(1);
  std::vector<ObjectName> pods;
  for (int i = 0; i < 40; ++i) {
    const auto pod = AddPod("a" + std::to_string(i));
    if (i % 4 == 1) Bind(BindingOf(*pod));
    pods.push_back({"Pod", "default", pod->name + (i % 4 == 2 ? "-gone" : ""),
                    pod->uid + (i % 4 == 3 ? "-other" : "")});
  }
  const auto results = Door().Touch(pods);
  ASSERT_EQ(results.size(), pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i) {
    EXPECT_EQ(!results[i].resource_version.empty(), i % 4 == 0) << i;
    const auto& bound = results[i].bound;
    EXPECT_EQ(bound == nullptr ? "" : bound->uid, i % 4 == 1 ? pods[i].uid : "")
        << i;
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
