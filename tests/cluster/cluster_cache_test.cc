#include "cluster/cluster_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WatchEvent::Kind kChanged = WatchEvent::Kind::kChanged;
constexpr WatchEvent::Kind kDeleted = WatchEvent::Kind::kDeleted;

PodPointer MakePod(const std::string& uid, int version,
                   const std::string& node = "",
                   PodPhase phase = PodPhase::kPending) {
  Pod pod;
  pod.namespace_name = "default";
  pod.name = "pod-" + uid;
  pod.uid = uid;
  pod.resource_version = std::to_string(version);
  pod.node_name = node;
  pod.phase = phase;
  return std::make_shared<const Pod>(std::move(pod));
}

NodePointer MakeNode(const std::string& name, int version,
                     std::int64_t cpu = 1000) {
  Node node;
  node.name = name;
  node.uid = "uid-" + name;
  node.resource_version = std::to_string(version);
  node.allocatable.cpu_milli = cpu;
  return std::make_shared<const Node>(std::move(node));
}

class ClusterCacheTest : public ::testing::Test {
 protected:
  // Applies a list of these objects.
  CacheChanges List(std::vector<PodPointer> pods,
                    std::vector<NodePointer> nodes) {
    std::vector<WatchEvent> events = {{WatchEvent::Kind::kListBegin, {}}};
    for (auto& node : nodes) events.push_back({kChanged, node});
    for (auto& pod : pods) events.push_back({kChanged, pod});
    events.push_back({WatchEvent::Kind::kListEnd, {}});
    return cache_.Apply(events);
  }
  // Applies an empty list of this kind alone.
  CacheChanges ListNothing(WatchedKind kind) {
    const std::vector<WatchEvent> events = {
        {.kind = WatchEvent::Kind::kListBegin, .listed = kind},
        {.kind = WatchEvent::Kind::kListEnd, .listed = kind}};
    return cache_.Apply(events);
  }
  template <typename Object>
  CacheChanges Event(WatchEvent::Kind kind, Object object) {
    const WatchEvent event{kind, object};
    return cache_.Apply({&event, 1});
  }

  ClusterCache cache_;
};

TEST_F(ClusterCacheTest, IsSyncedOnlyWhenAListHasEnded) {
  const std::vector<WatchEvent> begun = {{WatchEvent::Kind::kListBegin, {}},
                                         {kChanged, MakePod("a", 1)}};
  EXPECT_FALSE(cache_.Apply(begun).listed);
  EXPECT_FALSE(cache_.Synced());
  EXPECT_TRUE(List({MakePod("a", 1)}, {}).listed);
  EXPECT_TRUE(cache_.Synced());
}

TEST_F(ClusterCacheTest, ChangesSayWhatWasBeforeAndAfter) {
  List({}, {});
  const auto first = Event(kChanged, MakePod("a", 5));
  ASSERT_EQ(first.pods.size(), 1U);
  EXPECT_EQ(first.pods[0].before, nullptr);
  const auto second = Event(kChanged, MakePod("a", 6, "n1"));
  ASSERT_EQ(second.pods.size(), 1U);
  EXPECT_EQ(second.pods[0].before, first.pods[0].after);
  EXPECT_EQ(second.pods[0].after->node_name, "n1");
  const auto third = Event(kDeleted, MakePod("a", 7, "n1"));
  ASSERT_EQ(third.pods.size(), 1U);
  EXPECT_EQ(third.pods[0].after, nullptr);
  EXPECT_EQ(cache_.PodByUid("a"), nullptr);
}

TEST_F(ClusterCacheTest, WhatANewListLeavesOutIsGone) {
  List({MakePod("a", 1), MakePod("b", 2, "n1")},
       {MakeNode("n1", 1), MakeNode("n2", 2)});
  const auto changes = List({MakePod("a", 1)}, {MakeNode("n2", 2)});
  ASSERT_EQ(changes.pods.size(), 1U);
  EXPECT_EQ(changes.pods[0].before->uid, "b");
  EXPECT_EQ(changes.pods[0].after, nullptr);
  EXPECT_THAT(changes.nodes, ElementsAre("n1"));
  EXPECT_THAT(cache_.PodsOnNode("n1"), IsEmpty());
  EXPECT_EQ(cache_.Nodes().size(), 1U);
}

TEST_F(ClusterCacheTest, ListThatIsCutOffDropsNothing) {
  List({MakePod("a", 1), MakePod("b", 2)}, {});
  const std::vector<WatchEvent> cut = {{WatchEvent::Kind::kListBegin, {}},
                                       {kChanged, MakePod("a", 1)}};
  cache_.Apply(cut);
  EXPECT_NE(cache_.PodByUid("b"), nullptr);
  EXPECT_THAT(List({MakePod("a", 1), MakePod("b", 2)}, {}).pods, IsEmpty());
  EXPECT_NE(cache_.PodByUid("b"), nullptr);
}

TEST_F(ClusterCacheTest, RepeatedAndLateEventsChangeNothing) {
  List({}, {});
  Event(kChanged, MakePod("a", 5));
  Event(kChanged, MakePod("a", 8, "n1"));
  EXPECT_THAT(Event(kChanged, MakePod("a", 8, "n1")).pods, IsEmpty());
  EXPECT_THAT(Event(kChanged, MakePod("a", 5)).pods, IsEmpty());
  EXPECT_EQ(cache_.PodByUid("a")->node_name, "n1");
  Event(kDeleted, MakePod("a", 9, "n1"));
  EXPECT_THAT(Event(kDeleted, MakePod("a", 9, "n1")).pods, IsEmpty());
  EXPECT_THAT(Event(kChanged, MakePod("a", 8, "n1")).pods, IsEmpty());
  EXPECT_EQ(cache_.PodByUid("a"), nullptr);
}

TEST_F(ClusterCacheTest, LateEventDoesNotBringADeletedNodeBack) {
  List({}, {MakeNode("n1", 1)});
  Event(kDeleted, MakeNode("n1", 3));
  EXPECT_THAT(Event(kChanged, MakeNode("n1", 2)).nodes, IsEmpty());
  EXPECT_EQ(cache_.NodeByName("n1"), nullptr);
  EXPECT_THAT(Event(kChanged, MakeNode("n1", 4)).nodes, ElementsAre("n1"));
}

TEST_F(ClusterCacheTest, EventsOfSeveralObjectsComeInAnyOrder) {
  List({MakePod("a", 1)}, {MakeNode("n1", 1)});
  Event(kChanged, MakePod("c", 7));
  Event(kDeleted, MakePod("a", 6));
  EXPECT_EQ(Event(kChanged, MakePod("b", 5)).pods.size(), 1U);
  EXPECT_NE(cache_.PodByUid("b"), nullptr);
  Event(kChanged, MakeNode("n3", 9));
  EXPECT_THAT(Event(kChanged, MakeNode("n2", 8)).nodes, ElementsAre("n2"));
}

TEST_F(ClusterCacheTest, WhatWasDeletedLongAgoStaysSo) {
  List({MakePod("a", 1), MakePod("b", 2)}, {});
  Event(kDeleted, MakePod("a", 4));
  const int many = 20'000;
  for (int i = 0; i < many; ++i)
    Event(kDeleted, MakePod("c" + std::to_string(i), 5 + i));
  EXPECT_THAT(Event(kChanged, MakePod("a", 3)).pods, IsEmpty());
  EXPECT_THAT(Event(kChanged, MakePod("c1", 5)).pods, IsEmpty());
  EXPECT_EQ(Event(kChanged, MakePod("d", many + 10)).pods.size(), 1U);
}

TEST_F(ClusterCacheTest, ListIsBelievedEvenIfVersionsWentBack) {
  List({MakePod("a", 50, "n1")}, {MakeNode("n1", 51)});
  List({MakePod("a", 5), MakePod("b", 6)}, {MakeNode("n1", 7, 2000)});
  EXPECT_EQ(cache_.PodByUid("a")->node_name, "");
  EXPECT_NE(cache_.PodByUid("b"), nullptr);
  EXPECT_EQ(cache_.NodeByName("n1")->allocatable.cpu_milli, 2000);
}

TEST_F(ClusterCacheTest, AfterAListOfANewClusterItsEventsAreNotLate) {
  List({MakePod("a", 50)}, {MakeNode("n1", 51)});
  Event(kDeleted, MakePod("a", 60));
  List({}, {});  // from a restarted cluster: its versions begin again
  EXPECT_EQ(Event(kChanged, MakePod("b", 3)).pods.size(), 1U);
  EXPECT_NE(cache_.PodByUid("b"), nullptr);
  EXPECT_THAT(Event(kChanged, MakeNode("n2", 4)).nodes, ElementsAre("n2"));
}

TEST_F(ClusterCacheTest, VersionsThatAreNotNumbersAreTakenAsTheyCome) {
  Pod pod = *MakePod("a", 1);
  pod.resource_version = "opaque";
  List({}, {});
  EXPECT_EQ(Event(kChanged, PodPointer(std::make_shared<Pod>(pod))).pods.size(),
            1U);
  EXPECT_NE(cache_.PodByUid("a"), nullptr);
}

TEST_F(ClusterCacheTest, PodsCountOnTheirNodeUntilTheyEnd) {
  List({MakePod("b", 1, "n1"), MakePod("a", 2, "n1"), MakePod("c", 3),
        MakePod("d", 4, "n1", PodPhase::kFailed)},
       {MakeNode("n1", 5)});
  const auto on_node = cache_.PodsOnNode("n1");
  ASSERT_EQ(on_node.size(), 2U);
  EXPECT_EQ(on_node[0]->uid, "a");
  EXPECT_EQ(on_node[1]->uid, "b");
  Event(kChanged, MakePod("a", 6, "n1", PodPhase::kSucceeded));
  Event(kDeleted, MakePod("b", 7, "n1"));
  EXPECT_THAT(cache_.PodsOnNode("n1"), IsEmpty());
}

TEST_F(ClusterCacheTest, ChangedNodesAreThoseWhoseCapacityOrUseChanged) {
  List({MakePod("a", 1)}, {MakeNode("n1", 1), MakeNode("n2", 2)});
  EXPECT_THAT(cache_.TakeChangedNodes(), ElementsAre("n1", "n2"));
  EXPECT_THAT(cache_.TakeChangedNodes(), IsEmpty());
  Event(kChanged, MakeNode("n1", 3));  // a heartbeat
  Event(kChanged, MakePod("a", 4));
  EXPECT_THAT(cache_.TakeChangedNodes(), IsEmpty());
  Event(kChanged, MakePod("a", 5, "n2"));
  EXPECT_THAT(cache_.TakeChangedNodes(), ElementsAre("n2"));
  Event(kChanged, MakePod("a", 6, "n2", PodPhase::kRunning));
  EXPECT_THAT(cache_.TakeChangedNodes(), IsEmpty());
  EXPECT_EQ(cache_.PodsOnNode("n2")[0]->phase, PodPhase::kRunning);
  Event(kChanged, MakeNode("n1", 7, 500));
  Event(kChanged, MakePod("a", 8, "n2", PodPhase::kSucceeded));
  EXPECT_THAT(cache_.TakeChangedNodes(), ElementsAre("n1", "n2"));
}

// It says what its kubelet has given away: to whom, the start of a pod tells.
TEST_F(ClusterCacheTest, StartOfAPodChangesANodeThatTellsOfItsDomains) {
  Node node = *MakeNode("n1", 1);
  node.zones = {NumaZone{}};
  List({MakePod("a", 1, "n1"), MakePod("b", 2, "n2")},
       {std::make_shared<const Node>(node), MakeNode("n2", 2)});
  cache_.TakeChangedNodes();
  Pod pod = *MakePod("a", 3, "n1");
  pod.started = true;
  Event(kChanged, PodPointer(std::make_shared<Pod>(pod)));
  Event(kChanged, MakePod("b", 4, "n2", PodPhase::kRunning));
  EXPECT_THAT(cache_.TakeChangedNodes(), ElementsAre("n1"));
  Event(kChanged, MakePod("a", 5, "n1", PodPhase::kRunning));
  EXPECT_THAT(cache_.TakeChangedNodes(), IsEmpty());
}

PodGroupPointer MakeGroup(const std::string& name, int version, int size,
                          PodGroupApi api = PodGroupApi::kCoscheduling) {
  PodGroup group;
  group.name = {api, "default", name};
  group.resource_version = std::to_string(version);
  group.min_members = size;
  return std::make_shared<const PodGroup>(std::move(group));
}

PodPointer MakeMember(const std::string& uid, int version,
                      const std::string& group, const std::string& node = "") {
  Pod pod = *MakePod(uid, version, node);
  pod.labels[kCoschedulingLabel] = group;
  return std::make_shared<const Pod>(std::move(pod));
}

TEST_F(ClusterCacheTest, GroupThatComesAfterItsPodsSaysWhichTheyAre) {
  List({MakeMember("b", 1, "train"), MakeMember("a", 2, "train"),
        MakeMember("placed", 3, "train", "n1"), MakeMember("c", 4, "other")},
       {});
  const auto changes = Event(kChanged, MakeGroup("train", 9, 2));
  EXPECT_THAT(changes.regrouped_pods, ElementsAre("a", "b"));
  ASSERT_EQ(changes.pod_groups.size(), 1U);
  EXPECT_EQ(cache_.PodGroupByName(changes.pod_groups[0])->min_members, 2);
  EXPECT_EQ(cache_.PodsOfGroup(changes.pod_groups[0]).size(), 3U);
  EXPECT_THAT(Event(kDeleted, MakeGroup("train", 10, 2)).regrouped_pods,
              ElementsAre("a", "b"));
  EXPECT_EQ(cache_.PodGroupByName(changes.pod_groups[0]), nullptr);
}

TEST_F(ClusterCacheTest, GroupsOfTheTwoApisAreDifferentOnes) {
  Pod pod = *MakePod("a", 1);
  pod.scheduling_group = "train";
  List({std::make_shared<const Pod>(pod), MakeMember("b", 2, "train")}, {});
  EXPECT_THAT(Event(kChanged, MakeGroup("train", 9, 2, PodGroupApi::kNative))
                  .regrouped_pods,
              ElementsAre("a"));
  EXPECT_EQ(
      cache_.PodGroupByName({PodGroupApi::kCoscheduling, "default", "train"}),
      nullptr);
}

TEST_F(ClusterCacheTest, NewVersionAloneIsNoChangeOfAGroup) {
  List({MakeMember("a", 1, "train")}, {});
  Event(kChanged, MakeGroup("train", 9, 2));
  EXPECT_THAT(Event(kChanged, MakeGroup("train", 10, 2)).pod_groups, IsEmpty());
  EXPECT_EQ(Event(kChanged, MakeGroup("train", 11, 3)).pod_groups.size(), 1U);
}

TEST_F(ClusterCacheTest, PodThatLeavesItsGroupIsNotToldOfIt) {
  List({MakeMember("a", 1, "train")}, {});
  Event(kChanged, MakeMember("a", 2, "other"));
  EXPECT_THAT(Event(kChanged, MakeGroup("train", 9, 2)).regrouped_pods,
              IsEmpty());
  Event(kDeleted, MakeMember("a", 3, "other"));
  EXPECT_THAT(Event(kChanged, MakeGroup("other", 10, 2)).regrouped_pods,
              IsEmpty());
}

TEST_F(ClusterCacheTest, ListOfOneKindLeavesTheOthersAlone) {
  List({MakePod("a", 1)}, {MakeNode("n1", 2), MakeNode("n2", 3)});
  const std::vector<WatchEvent> events = {
      {.kind = WatchEvent::Kind::kListBegin, .listed = WatchedKind::kNodes},
      {kChanged, MakeNode("n2", 3)},
      {.kind = WatchEvent::Kind::kListEnd, .listed = WatchedKind::kNodes}};
  const auto changes = cache_.Apply(events);
  EXPECT_THAT(changes.nodes, ElementsAre("n1"));
  EXPECT_TRUE(changes.listed);
  EXPECT_NE(cache_.PodByUid("a"), nullptr);
}

TEST_F(ClusterCacheTest, ListOfPodsAloneIsAListToCompareWith) {
  List({MakePod("a", 1), MakePod("b", 2)}, {MakeNode("n1", 2)});
  const std::vector<WatchEvent> events = {
      {.kind = WatchEvent::Kind::kListBegin, .listed = WatchedKind::kPods},
      {kChanged, MakePod("a", 1)},
      {.kind = WatchEvent::Kind::kListEnd, .listed = WatchedKind::kPods}};
  const auto changes = cache_.Apply(events);
  EXPECT_TRUE(changes.listed);
  EXPECT_EQ(cache_.PodByUid("b"), nullptr);
  EXPECT_NE(cache_.NodeByName("n1"), nullptr);
}

TEST_F(ClusterCacheTest, ListWithinAListCountsForIt) {
  List({MakePod("a", 1)}, {MakeNode("n1", 2)});
  const std::vector<WatchEvent> events = {
      {WatchEvent::Kind::kListBegin, {}},
      {.kind = WatchEvent::Kind::kListBegin, .listed = WatchedKind::kNodes},
      {kChanged, MakeNode("n1", 2)},
      {kChanged, MakeNode("cut off", 3)},
      {.kind = WatchEvent::Kind::kListBegin, .listed = WatchedKind::kNodes},
      {kChanged, MakeNode("n1", 2)},
      {.kind = WatchEvent::Kind::kListEnd, .listed = WatchedKind::kNodes},
      {WatchEvent::Kind::kListEnd, {}}};
  const auto changes = cache_.Apply(events);
  EXPECT_EQ(cache_.Nodes().size(), 1U);
  EXPECT_EQ(cache_.PodByUid("a"), nullptr);
  EXPECT_TRUE(changes.listed);
}

TEST_F(ClusterCacheTest, OptionalKindStaysUntilAListOfItsOwnLeavesItOut) {
  const PodGroupName train{PodGroupApi::kCoscheduling, "default", "train"};
  List({}, {});
  Event(kChanged, MakeGroup("train", 9, 2));
  List({}, {});  // a list that passes the kind over
  EXPECT_NE(cache_.PodGroupByName(train), nullptr);
  EXPECT_EQ(ListNothing(WatchedKind::kCoschedulingGroups).pod_groups.size(),
            1U);
  EXPECT_EQ(cache_.PodGroupByName(train), nullptr);
}

TEST_F(ClusterCacheTest, KeepsVolumesClaimsClassesAndNamespaces) {
  List({}, {});
  VolumeClaim claim;
  claim.namespace_name = "default";
  claim.name = "data";
  claim.resource_version = "1";
  Volume volume;
  volume.name = "pv1";
  volume.resource_version = "2";
  StorageClass fast;
  fast.name = "fast";
  fast.resource_version = "3";
  Namespace space;
  space.name = "default";
  space.resource_version = "4";
  const std::vector<WatchEvent> events = {
      {kChanged, std::make_shared<const VolumeClaim>(claim)},
      {kChanged, std::make_shared<const Volume>(volume)},
      {kChanged, std::make_shared<const StorageClass>(fast)},
      {kChanged, std::make_shared<const Namespace>(space)}};
  const std::uint64_t before = cache_.NamespacesVersion();
  cache_.Apply(events);
  EXPECT_THAT(cache_.TakeChangedClaims(), ElementsAre("default/data"));
  EXPECT_NE(cache_.NamespacesVersion(), before);
  EXPECT_EQ(*cache_.VolumeClaimByName("default", "data"), claim);
  EXPECT_EQ(*cache_.VolumeByName("pv1"), volume);
  EXPECT_EQ(*cache_.StorageClassByName("fast"), fast);
  EXPECT_EQ(*cache_.NamespaceByName("default"), space);
  ListNothing(WatchedKind::kVolumeClaims);
  ListNothing(WatchedKind::kVolumes);
  EXPECT_EQ(cache_.VolumeClaimByName("default", "data"), nullptr);
  EXPECT_EQ(cache_.VolumeByName("pv1"), nullptr);
}

TEST_F(ClusterCacheTest, ClaimsAreNotedWithTheirVolumesClassesAndRivals) {
  List({}, {});
  int version = 10;
  const auto put = [&](auto object) {
    object.resource_version = std::to_string(++version);
    Event(kChanged, std::make_shared<const decltype(object)>(object));
  };
  VolumeClaim claim;
  claim.namespace_name = "default";
  claim.name = "data";
  claim.storage_class = "fast";
  put(claim);
  EXPECT_THAT(cache_.TakeChangedClaims(), ElementsAre("default/data"));
  StorageClass fast;
  fast.name = "fast";
  put(fast);
  EXPECT_THAT(cache_.TakeChangedClaims(), ElementsAre("default/data"));
  Volume volume;
  volume.name = "v";
  volume.claim_namespace = "default";
  volume.claim_name = "data";
  put(volume);
  EXPECT_THAT(cache_.TakeChangedClaims(), ElementsAre("default/data"));
  const auto use = [&](const std::string& name, PodPhase phase) {
    Pod pod = *MakePod(name, 1);
    pod.namespace_name = "default";
    pod.volume_claims = {"data"};
    pod.phase = phase;
    put(pod);
  };
  use("a", PodPhase::kPending);
  use("b", PodPhase::kPending);
  EXPECT_THAT(cache_.PodsOfClaim("default/data"), SizeIs(2));
  EXPECT_THAT(cache_.TakeChangedClaims(), IsEmpty());
  claim.access_modes = {"ReadWriteOncePod"};
  put(claim);
  cache_.TakeChangedClaims();
  use("a", PodPhase::kSucceeded);
  EXPECT_THAT(cache_.PodsOfClaim("default/data"), SizeIs(1));
  EXPECT_THAT(cache_.TakeChangedClaims(), ElementsAre("default/data"));
  // A list without the volume that the claim needs.
  claim.volume_name = "v";
  put(claim);
  cache_.TakeChangedClaims();
  ListNothing(WatchedKind::kVolumes);
  EXPECT_THAT(cache_.TakeChangedClaims(), ElementsAre("default/data"));
  ListNothing(WatchedKind::kStorageClasses);
  EXPECT_THAT(cache_.TakeChangedClaims(), ElementsAre("default/data"));
  ListNothing(WatchedKind::kVolumes);
  EXPECT_THAT(cache_.TakeChangedClaims(), IsEmpty());
}

TEST_F(ClusterCacheTest, VersionOfNamespacesFollowsTheirLabels) {
  Namespace space;
  space.name = "a";
  space.resource_version = "1";
  Event(kChanged, std::make_shared<const Namespace>(space));
  const auto first = cache_.NamespacesVersion();
  space.resource_version = "2";
  Event(kChanged, std::make_shared<const Namespace>(space));
  EXPECT_EQ(cache_.NamespacesVersion(), first);
  space.resource_version = "3";
  space.labels = {{"team", "a"}};
  Event(kChanged, std::make_shared<const Namespace>(space));
  EXPECT_NE(cache_.NamespacesVersion(), first);
  ASSERT_THAT(cache_.Namespaces(), SizeIs(1));
  EXPECT_EQ(cache_.Namespaces()[0]->labels, space.labels);
}

NodePointer WithStructure(int version, const std::string& structure) {
  Node node = *MakeNode("n1", version);
  if (!structure.empty()) node.structure.Own() = structure;
  return std::make_shared<const Node>(std::move(node));
}
NodeTopologyPointer MakeTopology(int version, std::int64_t cpus,
                                 std::int64_t available) {
  NodeTopology topology;
  topology.name = "n1";
  topology.resource_version = std::to_string(version);
  topology.zones.emplace_back();
  topology.zones[0].numa.allocatable.cpu_milli = cpus * 1'000;
  topology.zones[0].numa.available.cpu_milli = available * 1'000;
  return std::make_shared<const NodeTopology>(std::move(topology));
}

TEST_F(ClusterCacheTest, NodeHasTheStructureThatCounts) {
  // The topology comes before its node.
  EXPECT_THAT(Event(kChanged, MakeTopology(1, 1, 1)).nodes, IsEmpty());
  EXPECT_THAT(Event(kChanged, WithStructure(1, "cores: 2")).nodes,
              ElementsAre("n1"));
  EXPECT_NE(cache_.NodeByName("n1")->structure->find("numa0"),
            std::string::npos);
  // Its list leaves it out.
  EXPECT_THAT(ListNothing(WatchedKind::kNodeTopologies).nodes,
              ElementsAre("n1"));
  EXPECT_EQ(*cache_.NodeByName("n1")->structure, "cores: 2");
  EXPECT_EQ(*cache_.Nodes().at(0)->structure, "cores: 2");
  // A bad text: no structure, and a warning once.
  const auto bad = Event(kChanged, WithStructure(2, "cores: none"));
  EXPECT_THAT(bad.nodes, ElementsAre("n1"));
  EXPECT_THAT(bad.warnings, SizeIs(1));
  EXPECT_FALSE(cache_.NodeByName("n1")->structure.Any());
  EXPECT_THAT(Event(kChanged, WithStructure(3, "cores: none")).warnings,
              IsEmpty());
  EXPECT_THAT(Event(kChanged, MakeTopology(4, 1, 1)).nodes, ElementsAre("n1"));
  EXPECT_THAT(Event(kDeleted, MakeTopology(5, 1, 1)).nodes, ElementsAre("n1"));
  Event(kDeleted, WithStructure(6, ""));
  EXPECT_EQ(cache_.NodeByName("n1"), nullptr);
  EXPECT_THAT(cache_.Nodes(), IsEmpty());
}

TEST_F(ClusterCacheTest, NewVersionOfATopologyAloneIsNoChangeOfItsNode) {
  Event(kChanged, WithStructure(1, ""));
  Event(kChanged, MakeTopology(1, 4, 4));
  EXPECT_THAT(Event(kChanged, MakeTopology(2, 4, 4)).nodes, IsEmpty());
  EXPECT_THAT(Event(kChanged, MakeTopology(3, 5, 4)).nodes, ElementsAre("n1"));
  // What the kubelet has given away counts.
  EXPECT_THAT(Event(kChanged, MakeTopology(4, 5, 3)).nodes, ElementsAre("n1"));
}

}  // namespace
}  // namespace fluxnetes::cluster
