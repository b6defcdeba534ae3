// What the cache keeps of claims of devices, devices and classes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "cluster/cluster_cache.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WatchEvent::Kind kPut = WatchEvent::Kind::kChanged;
constexpr WatchEvent::Kind kDrop = WatchEvent::Kind::kDeleted;

ResourceClaimPointer Claim(const std::string& name, int version,
                           const std::string& device = "") {
  ResourceClaim claim;
  claim.namespace_name = "team";
  claim.name = name;
  claim.uid = "uid-" + name;
  claim.resource_version = std::to_string(version);
  if (!device.empty()) {
    claim.allocation.emplace().devices.push_back(
        {.claim = "", .request = "gpu", .id = {"d", "p", device}});
  }
  return std::make_shared<const ResourceClaim>(std::move(claim));
}

ResourceSlicePointer Slice(const std::string& name, int version, int devices,
                           const std::string& fault = "") {
  ResourceSlice slice;
  slice.resource_version = std::to_string(version);
  slice.slice.name = name;
  for (int i = 0; i < devices; ++i)
    slice.slice.devices.push_back({.name = "gpu-" + std::to_string(i)});
  if (!fault.empty()) slice.faults.push_back(fault);
  return std::make_shared<const ResourceSlice>(std::move(slice));
}

DeviceClassPointer Class(const std::string& name, int version,
                         const std::string& selector) {
  DeviceClass device_class;
  device_class.resource_version = std::to_string(version);
  device_class.device_class = {name, {selector}};
  return std::make_shared<const DeviceClass>(std::move(device_class));
}

PodPointer PodWith(const std::string& uid, PodClaim claim,
                   const std::string& node = "") {
  Pod pod;
  pod.namespace_name = "team";
  pod.name = "pod-" + uid;
  pod.uid = uid;
  pod.resource_version = node.empty() ? "1" : "2";
  pod.node_name = node;
  pod.resource_claims.push_back(std::move(claim));
  return std::make_shared<const Pod>(std::move(pod));
}

class ClusterCacheDevicesTest : public ::testing::Test {
 protected:
  template <typename Object>
  CacheChanges Event(WatchEvent::Kind kind, Object object) {
    const WatchEvent event{kind, object};
    return cache_.Apply({&event, 1});
  }
  CacheChanges ListNothing(WatchedKind kind) {
    const std::vector<WatchEvent> events = {
        {.kind = WatchEvent::Kind::kListBegin, .listed = kind},
        {.kind = WatchEvent::Kind::kListEnd, .listed = kind}};
    return cache_.Apply(events);
  }

  ClusterCache cache_;
};

TEST_F(ClusterCacheDevicesTest, ObjectsAreFoundByTheirNames) {
  Event(kPut, Claim("a", 1));
  Event(kPut, Slice("s", 1, 2));
  Event(kPut, Class("gpu", 1, "true"));
  EXPECT_EQ(cache_.ResourceClaimByName("team", "a")->uid, "uid-a");
  EXPECT_EQ(cache_.ResourceClaimByName("other", "a"), nullptr);
  EXPECT_THAT(cache_.ResourceSliceByName("s")->slice.devices, SizeIs(2));
  EXPECT_NE(cache_.DeviceClassByName("gpu"), nullptr);
  EXPECT_THAT(cache_.DeviceClasses(), SizeIs(1));
  EXPECT_THAT(cache_.ResourceSlices(), SizeIs(1));
  Event(kDrop, Claim("a", 2));
  Event(kDrop, Slice("s", 2, 2));
  Event(kDrop, Class("gpu", 2, "true"));
  EXPECT_EQ(cache_.ResourceClaimByName("team", "a"), nullptr);
  EXPECT_EQ(cache_.ResourceSliceByName("s"), nullptr);
  EXPECT_EQ(cache_.DeviceClassByName("gpu"), nullptr);
}

TEST_F(ClusterCacheDevicesTest, OnlyWhatChangedIsTaken) {
  Event(kPut, Slice("s", 1, 2));
  Event(kPut, Class("gpu", 1, "true"));
  ChangedDevices changed = cache_.TakeChangedDevices();
  EXPECT_THAT(changed.slices, ElementsAre("s"));
  EXPECT_THAT(changed.classes, ElementsAre("gpu"));
  // A new version without a difference.
  Event(kPut, Slice("s", 2, 2));
  Event(kPut, Class("gpu", 2, "true"));
  changed = cache_.TakeChangedDevices();
  EXPECT_THAT(changed.slices, IsEmpty());
  EXPECT_THAT(changed.classes, IsEmpty());
  Event(kPut, Slice("s", 3, 1));
  Event(kPut, Class("gpu", 3, "false"));
  changed = cache_.TakeChangedDevices();
  EXPECT_THAT(changed.slices, ElementsAre("s"));
  EXPECT_THAT(changed.classes, ElementsAre("gpu"));
  // Their lists leave them out.
  ListNothing(WatchedKind::kResourceSlices);
  ListNothing(WatchedKind::kDeviceClasses);
  changed = cache_.TakeChangedDevices();
  EXPECT_THAT(changed.slices, ElementsAre("s"));
  EXPECT_THAT(changed.classes, ElementsAre("gpu"));
}

TEST_F(ClusterCacheDevicesTest, AClaimIsTakenWhenItsDevicesChange) {
  Event(kPut, Claim("a", 1));
  EXPECT_THAT(cache_.TakeChangedDevices().claims, IsEmpty());
  EXPECT_THAT(cache_.AllocatedClaims(), IsEmpty());
  Event(kPut, Claim("a", 2, "gpu-0"));
  EXPECT_THAT(cache_.TakeChangedDevices().claims, ElementsAre("team/a"));
  EXPECT_THAT(cache_.AllocatedClaims(), SizeIs(1));
  Event(kPut, Claim("a", 3, "gpu-0"));
  EXPECT_THAT(cache_.TakeChangedDevices().claims, IsEmpty());
  Event(kPut, Claim("a", 4, "gpu-1"));
  EXPECT_THAT(cache_.TakeChangedDevices().claims, ElementsAre("team/a"));
  ListNothing(WatchedKind::kResourceClaims);
  EXPECT_THAT(cache_.TakeChangedDevices().claims, ElementsAre("team/a"));
  EXPECT_THAT(cache_.AllocatedClaims(), IsEmpty());
}

TEST_F(ClusterCacheDevicesTest, PodsThatWaitForAClaimAreNamed) {
  Event(kPut, PodWith("p", {.name = "gpu", .claim = "a"}));
  EXPECT_THAT(Event(kPut, Claim("a", 1)).regrouped_pods, ElementsAre("p"));
  EXPECT_THAT(Event(kPut, Claim("a", 2, "x")).regrouped_pods, IsEmpty());
  EXPECT_THAT(Event(kDrop, Claim("a", 3)).regrouped_pods, ElementsAre("p"));
  // A pod with a node waits for none.
  Event(kPut, PodWith("p", {.name = "gpu", .claim = "a"}, "n1"));
  EXPECT_THAT(Event(kPut, Claim("a", 4)).regrouped_pods, IsEmpty());
}

TEST_F(ClusterCacheDevicesTest, AllocatedClaimsOfPodsWithoutANodeAreKnown) {
  const auto ahead = [this] {
    std::string names;
    for (const auto& claim : cache_.AllocatedClaimsOfWaitingPods())
      names += claim->name + " ";
    return names;
  };
  Event(kPut, Claim("b", 1, "gpu-1"));
  Event(kPut, Claim("a", 1, "gpu-0"));
  EXPECT_EQ(ahead(), "");
  Event(kPut, PodWith("p", {.name = "gpu", .claim = "b"}));
  Event(kPut, PodWith("q", {.name = "gpu", .claim = "a"}));
  Event(kPut, PodWith("r", {.name = "gpu", .claim = "a"}));
  EXPECT_EQ(ahead(), "a b ");
  Event(kPut, PodWith("q", {.name = "gpu", .claim = "a"}, "n1"));
  EXPECT_EQ(ahead(), "a b ");
  Event(kPut, PodWith("r", {.name = "gpu", .claim = "a"}, "n1"));
  EXPECT_EQ(ahead(), "b ");
  Event(kPut, Claim("b", 2));
  EXPECT_EQ(ahead(), "");
  Event(kPut, Claim("b", 3, "gpu-1"));
  EXPECT_EQ(ahead(), "b ");
  ListNothing(WatchedKind::kResourceClaims);
  EXPECT_EQ(ahead(), "");
  Event(kPut, Claim("b", 4, "gpu-1"));
  EXPECT_EQ(ahead(), "b ");
  Event(kDrop, Claim("b", 5));
  EXPECT_EQ(ahead(), "");
}

TEST_F(ClusterCacheDevicesTest, FaultsOfASliceAreWarningsOnce) {
  EXPECT_THAT(Event(kPut, Slice("s", 1, 2, "devices[0]: bad")).warnings,
              ElementsAre("slice s: devices[0]: bad"));
  EXPECT_THAT(Event(kPut, Slice("s", 2, 2, "devices[0]: bad")).warnings,
              IsEmpty());
}

TEST_F(ClusterCacheDevicesTest, DeviceHasOneHolderAtATime) {
  Event(kPut, Claim("a", 1, "gpu-0"));
  EXPECT_EQ(cache_.HolderOf({"d", "p", "gpu-0"}), "team/a");
  EXPECT_EQ(cache_.HolderOf({"d", "p", "gpu-1"}), "");
  Event(kPut, Claim("a", 2, "gpu-1"));
  EXPECT_EQ(cache_.HolderOf({"d", "p", "gpu-0"}), "");
  EXPECT_EQ(cache_.HolderOf({"d", "p", "gpu-1"}), "team/a");
  Event(kDrop, Claim("a", 3, "gpu-1"));
  EXPECT_EQ(cache_.HolderOf({"d", "p", "gpu-1"}), "");
}

}  // namespace
}  // namespace fluxnetes::cluster
