#include "workers/match/device_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace fluxnetes::workers {
namespace {

using cluster::WatchEvent;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A cache with a slice, a class, and claims.
class DeviceFeed : public ::testing::Test {
 protected:
  template <typename Object>
  void Apply(WatchEvent::Kind kind, Object object) {
    object.resource_version = std::to_string(++version_);
    const WatchEvent event{kind,
                           std::make_shared<const Object>(std::move(object))};
    cache_.Apply({&event, 1});
  }
  template <typename Object>
  void Put(Object object) {
    Apply(WatchEvent::Kind::kChanged, std::move(object));
  }

  static cluster::ResourceSlice Slice(const std::string& name) {
    cluster::ResourceSlice slice;
    slice.slice.name = name;
    return slice;
  }
  static cluster::DeviceClass Class(const std::string& name) {
    cluster::DeviceClass made;
    made.device_class.name = name;
    return made;
  }
  static cluster::ResourceClaim Claim(const std::string& name,
                                      const std::string& device,
                                      const std::string& pod) {
    cluster::ResourceClaim claim;
    claim.namespace_name = "science";
    claim.name = name;
    if (device.empty()) return claim;
    matcher::AllocatedDevice held;
    held.request = "gpu";
    held.id = {"gpu.example.com", "node0", device};
    claim.allocation = cluster::ClaimDevices{{held}, {"node0"}};
    cluster::ClaimConsumer consumer;
    consumer.uid = pod;
    claim.reserved_for = {consumer};
    return claim;
  }

  cluster::ClusterCache cache_;
  int version_ = 0;
};

TEST_F(DeviceFeed, BeginsWithAllThatThereIs) {
  Put(Slice("node0-gpus"));
  Put(Class("gpu.example.com"));
  Put(Claim("ours", "gpu-0", "our-pod"));
  Put(Claim("theirs", "gpu-1", "their-pod"));
  Put(Claim("none", "", ""));
  const DeviceNews all = AllDevices(
      cache_, [](const std::string& uid) { return uid == "our-pod"; });
  ASSERT_EQ(all.slices.size(), 1U);
  EXPECT_EQ(all.slices[0].name, "node0-gpus");
  ASSERT_EQ(all.classes.size(), 1U);
  ASSERT_EQ(all.claims.size(), 1U);
  EXPECT_EQ(all.claims[0].claim, "science/theirs");
  EXPECT_EQ(all.claims[0].devices[0].id.device, "gpu-1");
  EXPECT_EQ(all.claims[0].nodes.node, "node0");
}

TEST_F(DeviceFeed, TellsWhatHasChangedSince) {
  Put(Slice("node0-gpus"));
  Put(Class("gpu.example.com"));
  Put(Claim("a", "gpu-0", "pod"));
  cache_.TakeChangedDevices();
  Apply(WatchEvent::Kind::kDeleted, Slice("node0-gpus"));
  Put(Slice("node1-gpus"));
  Apply(WatchEvent::Kind::kDeleted, Class("gpu.example.com"));
  Put(Claim("a", "", ""));
  Put(Claim("b", "gpu-1", "pod"));
  const DeviceNews news = ReadChanged(cache_, cache_.TakeChangedDevices());
  EXPECT_THAT(news.gone_slices, ElementsAre("node0-gpus"));
  ASSERT_EQ(news.slices.size(), 1U);
  EXPECT_EQ(news.slices[0].name, "node1-gpus");
  EXPECT_THAT(news.gone_classes, ElementsAre("gpu.example.com"));
  ASSERT_EQ(news.claims.size(), 2U);
  EXPECT_EQ(news.claims[0].claim, "science/a");
  EXPECT_THAT(news.claims[0].devices, IsEmpty());
  EXPECT_EQ(news.claims[1].claim, "science/b");
  EXPECT_EQ(news.claims[1].devices.size(), 1U);
}

}  // namespace
}  // namespace fluxnetes::workers
