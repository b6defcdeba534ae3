// Claims of devices: how they get devices and consumers, and lose them.
#include <gmock/gmock.h>

#include "cluster/devices/claim_spec.h"
#include "tests/cluster/contract/contract.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kOneGpu = R"({"devices": {"requests": [
    {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}})";

ClaimDevices DevicesNamed(const std::string& device) {
  return {.devices = {{.claim = "",
                       .request = "gpu",
                       .id = {"gpu.example.com", "node0", device}}},
          .nodes = {.node = "node0"}};
}

TEST_P(ClusterContract, AClaimGetsItsDevicesWithFinalizerAndConsumers) {
  const auto pod = AddPod("a");
  const auto claim = AddClaim("c");
  const ClaimResult result =
      Allocate({claim, DevicesNamed("gpu-0"), {}, {ConsumerOf(*pod)}});
  EXPECT_EQ(result.outcome, ClaimOutcome::kWritten) << result.message;
  const auto now = ClaimNamed("c");
  ASSERT_TRUE(now->allocation);
  EXPECT_EQ(*now->allocation, DevicesNamed("gpu-0"));
  EXPECT_THAT(now->reserved_for, ElementsAre(ConsumerOf(*pod)));
  EXPECT_THAT(now->finalizers, ElementsAre(kClaimFinalizer));
  ASSERT_NE(result.claim, nullptr);
  EXPECT_EQ(result.claim->resource_version, now->resource_version);
}

TEST_P(ClusterContract, WritingTheSameAgainChangesNothing) {
  const auto pod = AddPod("a");
  const ClaimAllocation wish{
      AddClaim("c"), DevicesNamed("gpu-0"), {}, {ConsumerOf(*pod)}};
  ASSERT_EQ(Allocate(wish).outcome, ClaimOutcome::kWritten);
  const auto before = ClaimNamed("c");
  EXPECT_EQ(Allocate(wish).outcome, ClaimOutcome::kWritten);
  EXPECT_EQ(*ClaimNamed("c"), *before);
}

TEST_P(ClusterContract, AnotherConsumerIsAddedToTheSameDevices) {
  const auto a = AddPod("a");
  const auto b = AddPod("b");
  const auto unseen = AddClaim("c");
  ASSERT_EQ(
      Allocate({unseen, DevicesNamed("gpu-0"), {}, {ConsumerOf(*a)}}).outcome,
      ClaimOutcome::kWritten);
  EXPECT_EQ(
      Allocate({unseen, DevicesNamed("gpu-0"), {}, {ConsumerOf(*b)}}).outcome,
      ClaimOutcome::kWritten);
  EXPECT_THAT(ClaimNamed("c")->reserved_for,
              ElementsAre(ConsumerOf(*a), ConsumerOf(*b)));
}

TEST_P(ClusterContract, AClaimWithOtherDevicesIsAConflict) {
  const auto pod = AddPod("a");
  const auto unseen = AddClaim("c");
  ASSERT_EQ(
      Allocate({unseen, DevicesNamed("gpu-0"), {}, {ConsumerOf(*pod)}}).outcome,
      ClaimOutcome::kWritten);
  const auto before = ClaimNamed("c");
  const ClaimResult result =
      Allocate({unseen, DevicesNamed("gpu-1"), {}, {ConsumerOf(*pod)}});
  EXPECT_EQ(result.outcome, ClaimOutcome::kConflict);
  EXPECT_THAT(result.message, HasSubstr("other devices"));
  ASSERT_NE(result.claim, nullptr);
  EXPECT_EQ(result.claim->allocation, before->allocation);
  EXPECT_EQ(*ClaimNamed("c"), *before);
}

TEST_P(ClusterContract, AClaimThatIsGoneOrMadeAnewGetsNothing) {
  const auto pod = AddPod("a");
  const auto old = AddClaim("c");
  ASSERT_TRUE(Behind().RemoveResourceClaim("default", "c"));
  const ClaimAllocation wish{
      old, DevicesNamed("gpu-0"), {}, {ConsumerOf(*pod)}};
  EXPECT_EQ(Allocate(wish).outcome, ClaimOutcome::kGone);
  AddClaim("c");
  EXPECT_EQ(Allocate(wish).outcome, ClaimOutcome::kGone);
  EXPECT_EQ(ClaimNamed("c")->allocation, std::nullopt);
  EXPECT_EQ(Release({old, {pod->uid}}).outcome, ClaimOutcome::kGone);
}

TEST_P(ClusterContract, AClaimThatIsBeingDeletedGetsNoConsumers) {
  const auto a = AddPod("a");
  const auto b = AddPod("b");
  const auto unseen = AddClaim("c");
  ASSERT_EQ(
      Allocate({unseen, DevicesNamed("gpu-0"), {}, {ConsumerOf(*a)}}).outcome,
      ClaimOutcome::kWritten);
  ASSERT_TRUE(Behind().RemoveResourceClaim("default", "c"));
  EXPECT_TRUE(ClaimNamed("c")->terminating);
  EXPECT_EQ(
      Allocate({unseen, DevicesNamed("gpu-0"), {}, {ConsumerOf(*b)}}).outcome,
      ClaimOutcome::kGone);
  // Its last consumer keeps it.
  EXPECT_EQ(Release({unseen, {a->uid}}).outcome, ClaimOutcome::kWritten);
  EXPECT_EQ(ClaimNamed("c"), nullptr);
}

TEST_P(ClusterContract, TheLastConsumerThatLeavesFreesTheDevices) {
  const auto a = AddPod("a");
  const auto b = AddPod("b");
  const auto unseen = AddClaim("c");
  ASSERT_EQ(
      Allocate(
          {unseen, DevicesNamed("gpu-0"), {}, {ConsumerOf(*a), ConsumerOf(*b)}})
          .outcome,
      ClaimOutcome::kWritten);
  EXPECT_EQ(Release({ClaimNamed("c"), {a->uid, "nobody"}}).outcome,
            ClaimOutcome::kWritten);
  EXPECT_THAT(ClaimNamed("c")->reserved_for, ElementsAre(ConsumerOf(*b)));
  EXPECT_TRUE(ClaimNamed("c")->allocation);
  const ClaimResult last = Release({unseen, {b->uid}});
  EXPECT_EQ(last.outcome, ClaimOutcome::kWritten) << last.message;
  EXPECT_THAT(ClaimNamed("c")->reserved_for, IsEmpty());
  EXPECT_EQ(ClaimNamed("c")->allocation, std::nullopt);
  EXPECT_THAT(ClaimNamed("c")->finalizers, IsEmpty());
  // It can be used again.
  EXPECT_EQ(
      Allocate({unseen, DevicesNamed("gpu-1"), {}, {ConsumerOf(*a)}}).outcome,
      ClaimOutcome::kWritten);
}

TEST_P(ClusterContract, ManyClaimsAreAnsweredInTheirOrder) {
  const auto pod = AddPod("a");
  std::vector<ClaimAllocation> wishes;
  for (int i = 0; i < 40; ++i) {
    const auto claim = AddClaim("c" + std::to_string(i));
    if (i % 2 == 1) Behind().RemoveResourceClaim("default", claim->name);
    wishes.push_back({claim,
                      DevicesNamed("gpu-" + std::to_string(i)),
                      {},
                      {ConsumerOf(*pod)}});
  }
  const auto results = Door().AllocateClaims(wishes);
  ASSERT_THAT(results, SizeIs(wishes.size()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].outcome,
              i % 2 == 1 ? ClaimOutcome::kGone : ClaimOutcome::kWritten)
        << i << results[i].message;
  }
}

TEST_P(ClusterContract, MoreConsumersThanTheServerTakesAreRefused) {
  std::vector<ClaimConsumer> many;
  for (std::size_t i = 0; i <= kMostClaimConsumers; ++i) {
    many.push_back(
        {.name = "p" + std::to_string(i), .uid = "u" + std::to_string(i)});
  }
  const ClaimResult result =
      Allocate({AddClaim("c"), DevicesNamed("gpu-0"), {}, many});
  EXPECT_EQ(result.outcome, ClaimOutcome::kRefused);
  EXPECT_THAT(result.message, HasSubstr("256"));
  EXPECT_EQ(ClaimNamed("c")->allocation, std::nullopt);
}

TEST_P(ClusterContract, AKubeletStartsAPodOnlyWithItsClaims) {
  AddNodes(1);
  const auto claim = AddClaim("c");
  const auto pod = AddUser("a", {{.name = "gpu", .claim = "c"}});
  ASSERT_TRUE(UntilSynced());
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  world_->Advance(std::chrono::milliseconds(50));
  EXPECT_EQ(Door().GetPod("default", "a")->phase, PodPhase::kPending);
  ASSERT_EQ(
      Allocate({claim, DevicesNamed("gpu-0"), {}, {ConsumerOf(*pod)}}).outcome,
      ClaimOutcome::kWritten);
  EXPECT_TRUE(Until([&] {
    return Door().GetPod("default", "a")->phase == PodPhase::kRunning;
  }));
  // Once the pod has ended, its devices are free.
  ASSERT_TRUE(Behind().EndPod("default", "a", 0));
  EXPECT_EQ(ClaimNamed("c")->allocation, std::nullopt);
  EXPECT_THAT(ClaimNamed("c")->reserved_for, IsEmpty());
}

TEST_P(ClusterContract, ClaimsOfATemplateAreMadeForEachPodAndGoWithIt) {
  const auto pod =
      AddUser("a", {{.name = "gpu", .claim = "", .template_name = "one-gpu"}});
  ASSERT_TRUE(Until([&] { return cache_.PodByUid(pod->uid) != nullptr; }));
  EXPECT_EQ(cache_.PodByUid(pod->uid)->resource_claims.at(0).claim, "");
  ResourceClaimTemplate of;
  of.namespace_name = "default";
  of.name = "one-gpu";
  of.spec = ReadClaimSpec(kOneGpu);
  Behind().Put(of);
  ASSERT_TRUE(Until([&] {
    return !cache_.PodByUid(pod->uid)->resource_claims.at(0).claim.empty();
  }));
  const std::string name =
      cache_.PodByUid(pod->uid)->resource_claims.at(0).claim;
  ASSERT_TRUE(Until(
      [&] { return cache_.ResourceClaimByName("default", name) != nullptr; }));
  const auto made = cache_.ResourceClaimByName("default", name);
  EXPECT_EQ(made->owner, (Owner{"Pod", "a", pod->uid}));
  EXPECT_EQ(made->spec->text, of.spec.text);
  ASSERT_EQ(
      Allocate({made, DevicesNamed("gpu-0"), {}, {ConsumerOf(*pod)}}).outcome,
      ClaimOutcome::kWritten);
  ASSERT_TRUE(Until([&] { return !cache_.AllocatedClaims().empty(); }));
  ASSERT_TRUE(Behind().Delete({"Pod", "default", "a", ""}));
  EXPECT_TRUE(Until(
      [&] { return cache_.ResourceClaimByName("default", name) == nullptr; }));
}

TEST_P(ClusterContract, DevicesAndClassesAreTold) {
  DeviceClass device_class;
  device_class.device_class = {"gpu.example.com", {"true"}};
  Behind().Put(device_class);
  ResourceSlice slice;
  slice.slice = {.name = "s", .driver = "gpu.example.com", .pool = "node0"};
  slice.slice.nodes.node = "node0";
  slice.slice.devices.push_back({.name = "gpu-0"});
  Behind().Put(slice);
  ASSERT_TRUE(Until([&] {
    return cache_.DeviceClassByName("gpu.example.com") != nullptr &&
           cache_.ResourceSliceByName("s") != nullptr;
  }));
  EXPECT_EQ(cache_.DeviceClassByName("gpu.example.com")->device_class,
            device_class.device_class);
  EXPECT_EQ(cache_.ResourceSliceByName("s")->slice, slice.slice);
  ASSERT_TRUE(Behind().RemoveResourceSlice("s"));
  EXPECT_TRUE(
      Until([&] { return cache_.ResourceSliceByName("s") == nullptr; }));
}

}  // namespace
}  // namespace fluxnetes::cluster
