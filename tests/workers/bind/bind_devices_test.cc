#include "workers/bind/bind_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

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

}  // namespace
}  // namespace fluxnetes::workers
