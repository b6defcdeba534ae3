#include <gmock/gmock.h>

#include <variant>

#include "cluster/json/request_json.h"
#include "tests/cluster/contract/contract.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;

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
  pod.grace = seconds(60);
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
  EXPECT_EQ(seen->grace, pod.grace);
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
