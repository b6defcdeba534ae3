#include "workers/bind/bind_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "matcher/devices/devices_text.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;

cluster::ClaimAllocation WriteOf(const std::string& claim,
                                 const std::string& pod) {
  auto named = std::make_shared<cluster::ResourceClaim>();
  named->uid = "uid-of-" + claim;
  cluster::ClaimAllocation write;
  write.claim = named;
  cluster::ClaimConsumer consumer;
  consumer.name = pod;
  write.consumers = {consumer};
  return write;
}

TEST(BindDevices, NamesEachClaimOnceWithAllItsPods) {
  std::vector<cluster::ClaimAllocation> writes = {
      WriteOf("a", "p0"), WriteOf("common", "p0"), WriteOf("common", "p1")};
  EXPECT_THAT(BindDevices::Merge(writes), ElementsAre(0, 1, 1));
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].consumers.size(), 1U);
  ASSERT_EQ(writes[1].consumers.size(), 2U);
  EXPECT_EQ(writes[1].consumers[0].name, "p0");
  EXPECT_EQ(writes[1].consumers[1].name, "p1");
}

TEST(BindDevices, WaitsForAClaimThatIsNotKnown) {
  const cluster::ClusterCache cache;
  cluster::Pod pod;
  pod.resource_claims = {{"gpus", "a-gpus", "some"}};
  const BindDevices::Look look = BindDevices(cache).Check(pod, "n0", "[]");
  EXPECT_TRUE(look.waits);
  EXPECT_TRUE(look.to_write.empty());
}

// A pod and its claim, both of this name, in a cache.
struct Claimed {
  Claimed(const std::string& name, const std::string& controller) {
    pod.namespace_name = claim.namespace_name = "default";
    pod.name = claim.name = name;
    pod.uid = "uid-of-" + name;
    claim.uid = "uid-of-claim-" + name;
    pod.controller = cluster::Owner{"StatefulSet", "set", controller};
    pod.resource_claims = {{"gpus", name, "some"}};
  }
  void Give(const matcher::AllocatedDevice& device) {
    claim.allocation = cluster::ClaimDevices{{device}, {}};
    cluster::ClaimConsumer consumer;
    consumer.name = pod.name;
    consumer.uid = pod.uid;
    claim.reserved_for = {consumer};
  }
  void PutInto(cluster::ClusterCache& cache) const {
    cache.Apply(std::vector<cluster::WatchEvent>{
        {.object = std::make_shared<const cluster::Pod>(pod)},
        {.object = std::make_shared<const cluster::ResourceClaim>(claim)}});
  }
  cluster::Pod pod;
  cluster::ResourceClaim claim;
};

TEST(BindDevices, WaitsForWhatAnEarlierPodOfTheControllerGivesBack) {
  matcher::AllocatedDevice device;
  device.claim = "gpus";
  device.request = "gpu";
  device.id = {"gpu.example.com", "n0", "gpu-0"};
  const std::string placed = matcher::WriteDevices({&device, 1});
  Claimed earlier("earlier", "set-uid");
  earlier.Give(device);
  const Claimed pod("pod", "set-uid");
  const Claimed foreign("foreign", "another-uid");
  cluster::ClusterCache cache;
  for (const auto* each : std::vector<const Claimed*>{&earlier, &pod, &foreign})
    each->PutInto(cache);
  const BindDevices devices(cache);
  const auto waits = [&](const Claimed& of) {
    const BindDevices::Look look = devices.Check(of.pod, "n0", placed);
    EXPECT_EQ(look.problem.empty(), look.waits);
    return look.waits;
  };
  EXPECT_FALSE(waits(pod));
  earlier.pod.terminating = true;
  earlier.PutInto(cache);
  EXPECT_TRUE(waits(pod));
  EXPECT_FALSE(waits(foreign));
  earlier.pod.terminating = false;
  earlier.pod.phase = cluster::PodPhase::kFailed;
  earlier.PutInto(cache);
  EXPECT_TRUE(waits(pod));
}

}  // namespace
}  // namespace fluxnetes::workers
