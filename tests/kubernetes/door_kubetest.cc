// The contract of the door to a cluster (tests/cluster/contract/contract.h), of
// a real API server, with the rights that the scheduler has there.
#include <gmock/gmock.h>

#include <variant>

#include "cluster/cluster_cache.h"
#include "cluster/kubernetes/kubeconfig.h"
#include "cluster/kubernetes/kubernetes_cluster.h"
#include "cluster/text/timestamp.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

using cluster::Binding;
using cluster::BindOutcome;
using cluster::PodPhase;
using std::chrono::milliseconds;
using ::testing::AnyOf;

constexpr milliseconds kDeadline{60'000};

// Pods of a scheduler that nobody is, and none of ours runs.
class KubernetesDoor : public OnKubernetes {
 protected:
  KubernetesDoor() { starts_ = false; }

  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped()) return;
    const auto mine = cluster::ReadKubeconfig(
        cluster::LoadKubeconfigFiles(ControlPlane::Get()->kubeconfig()), "");
    cluster::KubernetesOptions options;
    options.http.address = mine.address;
    options.http.tls = mine.tls;
    options.http.credentials = mine.credentials;
    options.watch.page = 2;  // so that there are several
    door_ = std::make_unique<cluster::KubernetesCluster>(options);
  }

  cluster::Pod Add(const std::string& name, const std::string& more = {}) {
    std::string pod = BarePod(name, "", 0, {.more = more});
    pod.replace(pod.find("fluxnetes,"), 9, "nobody");
    Submit(pod);
    return PodNamed(name);
  }
  Binding BindingOf(const cluster::Pod& pod, int node = 0) const {
    return {pod.namespace_name, pod.name, pod.uid, pod.resource_version,
            Node(node)};
  }
  cluster::BindResult Bind(const Binding& binding) {
    return door_->Bind({&binding, 1}, kDeadline).at(0);
  }
  cluster::TouchResult Touch(const std::string& name, const std::string& uid) {
    const cluster::ObjectName pod{"Pod", home_, name, uid};
    return door_->Touch({&pod, 1}).at(0);
  }
  // Applies what the watch tells to the cache until the condition holds.
  bool Until(const std::function<bool()>& condition) {
    if (!watch_) watch_ = door_->WatchAll();
    return Comes([&] {
      const auto events = watch_->Next(1'000, milliseconds(20));
      cache_.Apply(events);
      told_.insert(told_.end(), events.begin(), events.end());
      return condition();
    });
  }

  std::unique_ptr<cluster::KubernetesCluster> door_;
  std::unique_ptr<cluster::Watch> watch_;
  cluster::ClusterCache cache_;
  std::vector<cluster::WatchEvent> told_;
};

TEST_F(KubernetesDoor, WatchBeginsWithAListAndGoesOn) {
  const auto pod = Add("a");
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_EQ(told_.front().kind, cluster::WatchEvent::Kind::kListBegin);
  EXPECT_NE(cache_.PodByUid(pod.uid), nullptr);
  ASSERT_NE(cache_.NodeByName(Node(0)), nullptr);
  EXPECT_EQ(cache_.NodeByName(Node(0))->allocatable.cpu_milli, 4'000);
  const auto late = Add("b");
  EXPECT_TRUE(Until([&] { return cache_.PodByUid(late.uid) != nullptr; }));
  Patch("pods/a", {{"metadata", {{"labels", {{"fluxnetes.queue", "b"}}}}}});
  EXPECT_TRUE(Until([&] {
    return cache_.PodByUid(pod.uid)->labels.contains("fluxnetes.queue");
  }));
  Delete("pods/a");
  EXPECT_TRUE(Until([&] { return cache_.PodByUid(pod.uid) == nullptr; }));
  Patch("nodes/" + Node(1), {{"spec", {{"unschedulable", true}}}});
  EXPECT_TRUE(Until([&] { return cache_.NodeByName(Node(1))->unschedulable; }));
}

TEST_F(KubernetesDoor, BindingGivesThePodItsNodeOnce) {
  const auto pod = Add("a");
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_EQ(Bind(BindingOf(pod)).outcome, BindOutcome::kBound);
  ASSERT_TRUE(Until(
      [&] { return cache_.PodByUid(pod.uid)->phase == PodPhase::kRunning; }));
  EXPECT_EQ(cache_.PodByUid(pod.uid)->node_name, Node(0));
  auto again = BindingOf(pod, 1);
  again.resource_version = "";
  EXPECT_EQ(Bind(again).outcome, BindOutcome::kConflict);
  // The same again changes nothing.
  again.node_name = Node(0);
  EXPECT_EQ(Bind(again).outcome, BindOutcome::kBound);
  EXPECT_EQ(Bind(BindingOf(pod)).outcome, BindOutcome::kBound);
  EXPECT_EQ(door_->GetPod(home_, "a")->node_name, Node(0));
}

TEST_F(KubernetesDoor, BindingOfAnotherUidOrVersionIsAConflict) {
  const auto pod = Add("a");
  auto other = BindingOf(pod);
  other.uid = "00000000-0000-4000-8000-000000000000";
  EXPECT_EQ(Bind(other).outcome, BindOutcome::kConflict);
  Patch("pods/a", {{"metadata", {{"labels", {{"now", "newer"}}}}}});
  const auto result = Bind(BindingOf(pod));
  EXPECT_EQ(result.outcome, BindOutcome::kConflict);
  EXPECT_NE(result.message, "");
  EXPECT_EQ(PodNamed("a").node_name, "");
  other = BindingOf(pod);
  other.resource_version = "";
  EXPECT_EQ(Bind(other).outcome, BindOutcome::kBound);
}

TEST_F(KubernetesDoor, PodThatIsGoneOrMadeAnewIsNotBound) {
  const auto old = Add("a");
  Delete("pods/a");
  ASSERT_TRUE(Comes([&] { return !door_->GetPod(home_, "a"); }));
  EXPECT_EQ(Bind(BindingOf(old)).outcome, BindOutcome::kGone);
  const auto fresh = Add("a");
  EXPECT_NE(fresh.uid, old.uid);
  EXPECT_EQ(Bind(BindingOf(old)).outcome, BindOutcome::kConflict);
}

TEST_F(KubernetesDoor, GatedPodCannotBeBound) {
  const auto pod = Add("a", "schedulingGates: [{name: example.com/quota}]");
  EXPECT_TRUE(pod.gated);
  EXPECT_THAT(Bind(BindingOf(pod)).outcome,
              AnyOf(BindOutcome::kConflict, BindOutcome::kRefused));
  Patch("pods/a", {{"spec", {{"schedulingGates", nullptr}}}});
  EXPECT_EQ(Bind(BindingOf(*door_->GetPod(home_, "a"))).outcome,
            BindOutcome::kBound);
}

TEST_F(KubernetesDoor, ManyBindingsAreAnsweredInTheirOrder) {
  std::vector<Binding> bindings;
  std::vector<BindOutcome> expected;
  for (int i = 0; i < 30; ++i) {
    const auto pod = Add("pod" + std::to_string(i));
    auto binding = BindingOf(pod, i % 2);
    expected.push_back(static_cast<BindOutcome>(i % 3));
    if (i % 3 == 1) binding.resource_version = "1";
    if (i % 3 == 2) binding.pod_name += "-gone";
    bindings.push_back(binding);
  }
  const auto results = door_->Bind(bindings, kDeadline);
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].outcome, expected[i]) << i << results[i].message;
}

TEST_F(KubernetesDoor, TouchMakesAnOlderBindingAConflict) {
  const auto pod = Add("a");
  const std::string version = Touch("a", pod.uid).resource_version;
  ASSERT_NE(version, "");
  EXPECT_NE(version, pod.resource_version);
  EXPECT_EQ(Bind(BindingOf(pod)).outcome, BindOutcome::kConflict);
  EXPECT_EQ(Touch("nobody", pod.uid).resource_version, "");
  EXPECT_EQ(Touch("a", "another-uid").resource_version, "");
  EXPECT_EQ(Touch("a", "another-uid").bound, nullptr);
  auto current = BindingOf(pod);
  current.resource_version = version;
  EXPECT_EQ(Bind(current).outcome, BindOutcome::kBound);
  const auto again = Touch("a", pod.uid);
  EXPECT_EQ(again.resource_version, "");
  ASSERT_NE(again.bound, nullptr);
  EXPECT_EQ(again.bound->node_name, current.node_name);
}

TEST_F(KubernetesDoor, NodeIsAnnouncedToAClaimAtItsVersionOnly) {
  Submit(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, "
      "spec: {accessModes: [ReadWriteOnce], storageClassName: none, "
      "resources: {requests: {storage: 1Gi}}}}");
  const auto claim = [&] { return cache_.VolumeClaimByName(home_, "data"); };
  ASSERT_TRUE(Until([&] { return claim() != nullptr; }));
  const auto announce = [&](const std::string& uid, const std::string& version,
                            const std::string& name = "data") {
    const cluster::NodeAnnouncement told{home_, name, uid, version, "n1"};
    return door_->Announce({&told, 1}).at(0).outcome;
  };
  using cluster::AnnounceOutcome;
  const auto before = claim();
  EXPECT_EQ(announce("00000000-0000-4000-8000-000000000000", ""),
            AnnounceOutcome::kConflict);
  EXPECT_EQ(announce(before->uid, "1"), AnnounceOutcome::kConflict);
  EXPECT_EQ(announce(before->uid, "", "none"), AnnounceOutcome::kConflict);
  EXPECT_EQ(Get("persistentvolumeclaims/data")["metadata"].count("annotations"),
            0U);
  ASSERT_TRUE(Comes([&] {  // the controllers write to it too
    return announce(before->uid,
                    Get("persistentvolumeclaims/data")["metadata"]
                                                      ["resourceVersion"]) ==
           AnnounceOutcome::kWritten;
  }));
  EXPECT_TRUE(Until([&] { return claim()->selected_node == "n1"; }));
}

TEST_F(KubernetesDoor, DeletionChecksTheUid) {
  const auto pod = Add("a");
  EXPECT_FALSE(door_->Delete({"Pod", home_, "a", "another-uid"}));
  EXPECT_FALSE(door_->Delete({"Pod", home_, "b", ""}));
  EXPECT_FALSE(door_->Delete({"Job", home_, "a", ""}));
  EXPECT_TRUE(door_->Delete({"Pod", home_, "a", pod.uid}));
  EXPECT_TRUE(Comes([&] { return !door_->GetPod(home_, "a"); }));
}

TEST_F(KubernetesDoor, OwnersAreFoundAndReplaceUntilTheyAreOver) {
  Submit(Replicas("Deployment", "web", 1));
  ASSERT_TRUE(Comes([&] { return !Pods().empty(); }));
  const auto set = Pods()[0].controller;
  ASSERT_TRUE(set);
  EXPECT_EQ(set->kind, "ReplicaSet");
  const cluster::ObjectName own{set->kind, home_, set->name, set->uid};
  const auto top = door_->TopOwner(own);
  ASSERT_TRUE(top);
  EXPECT_EQ(top->kind, "Deployment");
  EXPECT_EQ(top->name, "web");
  EXPECT_TRUE(door_->MayReplace(own));
  EXPECT_FALSE(door_->MayReplace({"ReplicaSet", home_, "none", ""}));
  EXPECT_TRUE(door_->Delete(*top));
  EXPECT_TRUE(Comes([&] { return !door_->TopOwner(own); }));
  EXPECT_FALSE(door_->MayReplace(own));
}

TEST_F(KubernetesDoor, JobReplacesItsPodsUntilItIsOver) {
  Submit(Gang("train", 1, {.job = "backoffLimit: 0"}));
  ASSERT_TRUE(Comes([&] { return !Pods().empty(); }));
  const auto pod = Pods()[0];
  const cluster::ObjectName own{"Job", home_, "train", pod.controller->uid};
  EXPECT_EQ(door_->TopOwner(own)->kind, "Job");
  EXPECT_TRUE(door_->MayReplace(own));
  EXPECT_FALSE(door_->MayReplace({"Job", home_, "train", "another-uid"}));
  ASSERT_EQ(Bind(BindingOf(pod)).outcome, BindOutcome::kBound);
  EndPod(pod.name, false);
  EXPECT_TRUE(Comes([&] { return !door_->MayReplace(own); }));
  EXPECT_TRUE(door_->TopOwner(own)) << "it is there still";
}

TEST_F(KubernetesDoor, EventsAndConditionsAreWrittenOnPodsThatAreThere) {
  const auto pod = Add("a");
  const std::vector<cluster::PodEvent> events = {
      {home_, "a", pod.uid, true, "FailedScheduling", "\"0\" of 3 \\ %"},
      {home_, "a", pod.uid, false, "Scheduled", "to a node"}};
  door_->Record(events);
  ASSERT_EQ(EventsOf("a", "FailedScheduling").size(), 1U);
  EXPECT_EQ(EventsOf("a", "FailedScheduling")[0]["message"], "\"0\" of 3 \\ %");
  EXPECT_EQ(EventsOf("a", "Scheduled")[0]["type"], "Normal");
  const std::vector<cluster::PodCondition> conditions = {
      {home_, "gone", "gone-uid", "Unschedulable", "x"},
      {home_, "a", pod.uid, "Unschedulable", "needs 8 \xC3\x97 2 cpu"}};
  door_->SetConditions(conditions);
  EXPECT_EQ(ConditionOf("a")["reason"], "Unschedulable");
  EXPECT_EQ(ConditionOf("a")["message"], "needs 8 \xC3\x97 2 cpu");
  EXPECT_EQ(ConditionOf("a")["status"], "False");
}

TEST_F(KubernetesDoor, ConditionIsNotSetOnceThePodIsBound) {
  const auto pod = Add("a");
  std::vector<cluster::PodCondition> conditions = {
      {home_, "a", pod.uid, "Unschedulable", "x", pod.resource_version}};
  const auto version = door_->SetConditions(conditions)[0].resource_version;
  EXPECT_EQ(version, PodNamed("a").resource_version);
  auto binding = BindingOf(pod);
  binding.resource_version = version;
  ASSERT_EQ(Bind(binding).outcome, BindOutcome::kBound);
  conditions[0].resource_version = version;
  EXPECT_EQ(door_->SetConditions(conditions)[0].outcome,
            cluster::StatusOutcome::kConflict);
  EXPECT_EQ(ConditionOf("a")["status"], "True");
}

TEST_F(KubernetesDoor, BoundPodIsToldThatItIsToGo) {
  const auto pod = Add("a");
  ASSERT_EQ(Bind(BindingOf(pod)).outcome, BindOutcome::kBound);
  // Its kubelet writes conditions too, as it starts.
  ASSERT_TRUE(Comes(
      [&] { return PodNamed("a").phase == cluster::PodPhase::kRunning; }));
  cluster::PodCondition condition = {home_, "a", pod.uid,
                                     "PreemptionByScheduler", "for b"};
  condition.type = cluster::PodCondition::Type::kDisruptionTarget;
  condition.since = std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  EXPECT_EQ(door_->SetConditions({&condition, 1})[0].outcome,
            cluster::StatusOutcome::kSet);
  EXPECT_EQ(ConditionOf("a", "DisruptionTarget")["status"], "True");
  EXPECT_EQ(ConditionOf("a", "DisruptionTarget")["message"], "for b");
  EXPECT_EQ(ConditionOf("a")["status"], "True");
}

TEST_F(KubernetesDoor, WhatIsToldTwiceIsWrittenOnce) {
  const auto pod = Add("a");
  cluster::PodEvent event = {
      home_, "a", pod.uid, true, "FailedScheduling", "x", /*once=*/true, "one"};
  door_->Record({&event, 1});
  door_->Record({&event, 1});
  EXPECT_EQ(EventsOf("a", "FailedScheduling").size(), 1U);
  event.occasion = "two";
  door_->Record({&event, 1});
  EXPECT_EQ(EventsOf("a", "FailedScheduling").size(), 2U);

  cluster::PodCondition condition = {home_, "a", pod.uid,       "Unschedulable",
                                     "x",   "",  pod.created_at};
  const auto version = door_->SetConditions({&condition, 1})[0];
  EXPECT_EQ(door_->SetConditions({&condition, 1})[0].resource_version,
            version.resource_version);
  const auto since = ConditionOf("a")["lastTransitionTime"];
  EXPECT_EQ(since, cluster::FormatTimestamp(pod.created_at));
  condition.message = "y";
  EXPECT_NE(door_->SetConditions({&condition, 1})[0].resource_version,
            version.resource_version);
  EXPECT_EQ(ConditionOf("a")["message"], "y");
  EXPECT_EQ(ConditionOf("a")["lastTransitionTime"], since);
}

}  // namespace
}  // namespace fluxnetes::testing
