#include "contract.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <variant>

namespace fluxnetes::cluster {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::IsEmpty;

constexpr milliseconds kDeadline{10'000};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ClusterContract);

void ClusterContract::AddNodes(int count) {
  for (int i = 0; i < count; ++i) {
    Node node;
    node.name = "node" + std::to_string(i);
    node.allocatable = {
        .cpu_milli = 64'000, .memory_bytes = 256LL << 30, .pods = 110};
    node.labels = {{"topology.kubernetes.io/zone", "a"}};
    ASSERT_TRUE(Behind().AddNode(node));
  }
}

PodPointer ClusterContract::AddPod(const std::string& name, const PodRun& run) {
  PodTemplate wish;
  wish.pod.namespace_name = "default";
  wish.pod.name = name;
  wish.pod.scheduler_name = "fluxnetes";
  wish.pod.request.resources = {
      .cpu_milli = 1'000, .memory_bytes = 1LL << 30, .pods = 1};
  wish.run = run;
  return Behind().CreatePod(wish);
}

Binding ClusterContract::BindingOf(const Pod& pod, const std::string& node) {
  return {pod.namespace_name, pod.name, pod.uid, pod.resource_version, node};
}

BindResult ClusterContract::Bind(const Binding& binding) {
  return Door().Bind({&binding, 1}, kDeadline).at(0);
}

bool ClusterContract::Until(const std::function<bool()>& condition) {
  if (!watch_) watch_ = Door().WatchAll();
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    const auto events = watch_->Next(1'000, milliseconds(5));
    cache_.Apply(events);
    told_.insert(told_.end(), events.begin(), events.end());
    world_->Advance(milliseconds(5));
  }
  return true;
}

namespace {

std::string UidOf(const WatchEvent& event) {
  const auto* const pod = std::get_if<PodPointer>(&event.object);
  return pod == nullptr ? "" : (*pod)->uid;
}

TEST_P(ClusterContract, WatchBeginsWithAListOfAllThatIsThere) {
  AddNodes(3);
  const auto pod = AddPod("a");
  ASSERT_TRUE(UntilSynced());
  EXPECT_EQ(Told().front().kind, WatchEvent::Kind::kListBegin);
  EXPECT_EQ(cache_.Nodes().size(), 3U);
  EXPECT_NE(cache_.PodByUid(pod->uid), nullptr);
}

TEST_P(ClusterContract, EmptyClusterHasAListToo) {
  ASSERT_TRUE(UntilSynced());
  EXPECT_THAT(cache_.Pods(), IsEmpty());
  EXPECT_THAT(cache_.Nodes(), IsEmpty());
}

TEST_P(ClusterContract, EventsOfAPodComeInOrderAndEndWithItsDeletion) {
  AddNodes(1);
  ASSERT_TRUE(UntilSynced());
  const auto pod = AddPod("a", {.length = seconds(1)});
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  world_->Advance(seconds(2));
  ASSERT_TRUE(Door().Delete({"Pod", "default", "a", pod->uid}));
  ASSERT_TRUE(Until([&] {
    return !Told().empty() &&
           Told().back().kind == WatchEvent::Kind::kDeleted &&
           UidOf(Told().back()) == pod->uid;
  }));
  std::uint64_t last = 0;
  for (const WatchEvent& event : Told()) {
    if (UidOf(event) != pod->uid) continue;
    const auto version =
        std::stoull(std::get<PodPointer>(event.object)->resource_version);
    EXPECT_GT(version, last);
    last = version;
  }
  EXPECT_EQ(cache_.PodByUid(pod->uid), nullptr);
}

TEST_P(ClusterContract, WhatVanishedUnseenIsMissingFromTheNextList) {
  AddNodes(2);
  const auto kept = AddPod("kept");
  const auto lost = AddPod("lost");
  ASSERT_TRUE(UntilSynced());
  ASSERT_TRUE(Behind().Delete({"Pod", "default", "lost", ""}));
  ASSERT_TRUE(Behind().RemoveNode("node1"));
  world_->DropConnections();
  const auto fresh = AddPod("fresh");
  ASSERT_TRUE(Until([&] {
    return cache_.PodByUid(lost->uid) == nullptr &&
           cache_.PodByUid(fresh->uid) != nullptr &&
           cache_.NodeByName("node1") == nullptr;
  }));
  EXPECT_NE(cache_.PodByUid(kept->uid), nullptr);
}

TEST_P(ClusterContract, EveryWatchIsTold) {
  const auto first = Door().WatchAll();
  const auto second = Door().WatchAll();
  AddNodes(1);
  for (Watch* const watch : {first.get(), second.get()}) {
    ClusterCache cache;
    for (int i = 0; i < 2'000 && cache.NodeByName("node0") == nullptr; ++i) {
      cache.Apply(watch->Next(1'000, milliseconds(5)));
      world_->Advance(milliseconds(1));
    }
    EXPECT_NE(cache.NodeByName("node0"), nullptr);
  }
}

TEST_P(ClusterContract, NodeChangesAreTold) {
  AddNodes(1);
  ASSERT_TRUE(UntilSynced());
  Behind().Cordon("node0");
  Behind().AddTaint("node0", {"team", "red", "NoSchedule"});
  ASSERT_TRUE(Until([&] {
    const auto node = cache_.NodeByName("node0");
    return node->unschedulable && node->taints.size() == 1;
  }));
  EXPECT_EQ(*cache_.NodeByName("node0"), *Behind().GetNode("node0"));
  Behind().SetReady("node0", false);
  EXPECT_TRUE(Until([&] { return !cache_.NodeByName("node0")->ready; }));
}

TEST_P(ClusterContract, PodComesThroughTheDoorUnchanged) {
  PodTemplate wish;
  Pod& pod = wish.pod;
  pod.namespace_name = "team";
  pod.name = "whole";
  pod.scheduler_name = "fluxnetes";
  pod.labels = {{"fluxnetes.group-name", "train"},
                {"odd", "\"quoted\" 100% \\ \xF0\x9F\x9A\x80"}};
  pod.annotations = {{"fluence.flux-framework.org/group-size", "3"}};
  pod.request.resources = {.cpu_milli = 1'500,
                           .memory_bytes = 1'000'000'007,
                           .ephemeral_bytes = 1LL << 30,
                           .pods = 1,
                           .extended = {{"nvidia.com/gpu", 2}}};
  pod.request.node_selector = {{"zone", "a"}};
  pod.request.node_affinity = {{{"gpu", "In", {"a100", "h100"}},
                                {"metadata.name", "In", {"node0"}, true}}};
  pod.request.tolerations = {{"", true, "", ""},
                             {"team", false, "red", "NoSchedule"}};
  pod.priority = -7;
  pod.active_deadline = seconds(3'600);
  pod.controller = Owner{"Job", "train", "some-uid"};
  pod.completion_index = 4;
  pod.gated = true;
  const auto truth = Behind().CreatePod(wish);
  const auto seen = Door().GetPod("team", "whole");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->uid, truth->uid);
  EXPECT_EQ(seen->resource_version, truth->resource_version);
  EXPECT_EQ(seen->scheduler_name, pod.scheduler_name);
  EXPECT_EQ(seen->labels, pod.labels);
  EXPECT_EQ(seen->annotations, pod.annotations);
  EXPECT_EQ(ToJson(seen->request), ToJson(pod.request));
  EXPECT_EQ(seen->priority, pod.priority);
  EXPECT_EQ(seen->active_deadline, pod.active_deadline);
  EXPECT_EQ(seen->controller, pod.controller);
  EXPECT_EQ(seen->completion_index, pod.completion_index);
  EXPECT_TRUE(seen->gated);
  EXPECT_FALSE(seen->terminating);
  EXPECT_EQ(std::chrono::floor<seconds>(seen->created_at),
            std::chrono::floor<seconds>(truth->created_at));
}

TEST_P(ClusterContract, PodThatIsNotThereIsNothing) {
  EXPECT_EQ(Door().GetPod("default", "nobody"), std::nullopt);
}

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
  // The same again changes nothing; a door may know that it has been done.
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
  const auto version = Door().Touch("default", "a", pod->uid);
  ASSERT_TRUE(version);
  EXPECT_NE(*version, pod->resource_version);
  EXPECT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kConflict);
  auto current = BindingOf(*pod);
  current.resource_version = *version;
  EXPECT_EQ(Bind(current).outcome, BindOutcome::kBound);
}

TEST_P(ClusterContract, WhatIsGoneOrBoundIsNotTouched) {
  AddNodes(1);
  const auto pod = AddPod("a");
  EXPECT_EQ(Door().Touch("default", "nobody", pod->uid), std::nullopt);
  EXPECT_EQ(Door().Touch("default", "a", "another-uid"), std::nullopt);
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  EXPECT_EQ(Door().Touch("default", "a", pod->uid), std::nullopt);
}

TEST_P(ClusterContract, DeletionChecksTheUid) {
  const auto pod = AddPod("a");
  EXPECT_FALSE(Door().Delete({"Pod", "default", "a", "another-uid"}));
  EXPECT_FALSE(Door().Delete({"Pod", "default", "b", ""}));
  EXPECT_FALSE(Door().Delete({"Job", "default", "a", ""}));
  EXPECT_TRUE(Door().Delete({"Pod", "default", "a", pod->uid}));
  EXPECT_EQ(Door().GetPod("default", "a"), std::nullopt);
}

TEST_P(ClusterContract, RunningPodIsTerminatingBeforeItIsGone) {
  AddNodes(1);
  const auto pod = AddPod("a", {.length = std::nullopt});
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  ASSERT_TRUE(Until([&] {
    return cache_.Synced() &&
           cache_.PodByUid(pod->uid)->phase == PodPhase::kRunning;
  }));
  ASSERT_TRUE(Door().Delete({"Pod", "default", "a", ""}));
  ASSERT_TRUE(Until([&] { return cache_.PodByUid(pod->uid) == nullptr; }));
  EXPECT_TRUE(std::ranges::any_of(Told(), [&](const WatchEvent& event) {
    return UidOf(event) == pod->uid &&
           std::get<PodPointer>(event.object)->terminating;
  }));
}

KubernetesJob SomeJob() {
  KubernetesJob job;
  job.namespace_name = "default";
  job.name = "train";
  job.parallelism = 3;
  job.completions = 3;
  job.indexed = true;
  job.pod_template.pod.scheduler_name = "fluxnetes";
  job.pod_template.pod.request.resources = {.cpu_milli = 100, .pods = 1};
  job.pod_template.run.length = std::nullopt;
  return job;
}

TEST_P(ClusterContract, DeletingAJobDeletesItsPods) {
  ASSERT_TRUE(Behind().CreateJob(SomeJob()));
  ASSERT_TRUE(Until([&] { return cache_.Pods().size() == 3; }));
  EXPECT_TRUE(Door().Delete({"Job", "default", "train", ""}));
  EXPECT_TRUE(Until([&] { return cache_.Pods().empty(); }));
  EXPECT_FALSE(Door().Delete({"Job", "default", "train", ""}));
}

TEST_P(ClusterContract, TopOwnerIsFoundThroughItsJob) {
  KubernetesJob job = SomeJob();
  const std::string set = Behind().CreateOwner("JobSet", "default", "sweep");
  job.controller = Owner{"JobSet", "sweep", set};
  const auto created = Behind().CreateJob(job);
  const ObjectName own{"Job", "default", "train", created->uid};
  const auto top = Door().TopOwner(own);
  ASSERT_TRUE(top);
  EXPECT_EQ(top->kind, "JobSet");
  EXPECT_EQ(top->name, "sweep");
  EXPECT_EQ(top->uid, set);
  EXPECT_TRUE(Door().Delete(*top));
  EXPECT_EQ(Door().TopOwner(own), std::nullopt);
}

TEST_P(ClusterContract, JobWithoutAnOwnerIsItsOwnTop) {
  const auto created = Behind().CreateJob(SomeJob());
  const auto top = Door().TopOwner({"Job", "default", "train", created->uid});
  ASSERT_TRUE(top);
  EXPECT_EQ(top->kind, "Job");
  EXPECT_EQ(top->uid, created->uid);
  EXPECT_EQ(Door().TopOwner({"Job", "default", "train", "another-uid"}),
            std::nullopt);
}

TEST_P(ClusterContract, JobReplacesItsPodsUntilItIsOver) {
  AddNodes(1);
  KubernetesJob job = SomeJob();
  job.parallelism = 1;
  job.completions = 1;
  job.backoff_limit = 0;
  job.pod_template.run = {.length = seconds(1), .exit_code = 3};
  const auto created = Behind().CreateJob(job);
  const ObjectName own{"Job", "default", "train", created->uid};
  EXPECT_TRUE(Door().MayReplace(own));
  EXPECT_FALSE(Door().MayReplace({"Job", "default", "train", "another-uid"}));
  EXPECT_FALSE(Door().MayReplace({"Job", "default", "trains", ""}));
  ASSERT_TRUE(Until([&] { return cache_.Pods().size() == 1; }));
  ASSERT_EQ(Bind(BindingOf(*cache_.Pods().front())).outcome,
            BindOutcome::kBound);
  ASSERT_TRUE(Until([&] {
    return Behind().GetJob("default", "train")->state ==
           KubernetesJobStatus::State::kFailed;
  }));
  EXPECT_FALSE(Door().MayReplace(own));
  EXPECT_TRUE(Door().TopOwner(own)) << "it is there still";
}

TEST_P(ClusterContract, JobThatIsCompleteReplacesNothing) {
  KubernetesJob job = SomeJob();
  job.completions = 0;
  const auto created = Behind().CreateJob(job);
  EXPECT_FALSE(Door().MayReplace({"Job", "default", "train", created->uid}));
}

TEST_P(ClusterContract, ControllerOfAnotherKindReplacesWhileItIsThere) {
  const std::string uid = Behind().CreateOwner("ReplicaSet", "default", "web");
  const ObjectName own{"ReplicaSet", "default", "web", uid};
  EXPECT_TRUE(Door().MayReplace(own));
  ASSERT_TRUE(Door().Delete(own));
  EXPECT_FALSE(Door().MayReplace(own));
}

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

TEST_P(ClusterContract, RelabelledPodIsTold) {
  const auto pod = AddPod("a");
  ASSERT_TRUE(UntilSynced());
  ASSERT_TRUE(
      Behind().SetLabels("default", "a", {{"fluxnetes.group-name", "b"}}));
  EXPECT_TRUE(Until([&] {
    return cache_.PodByUid(pod->uid)->labels.contains("fluxnetes.group-name");
  }));
}

}  // namespace
}  // namespace fluxnetes::cluster
