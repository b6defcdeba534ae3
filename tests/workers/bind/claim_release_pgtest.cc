// Groups whose pods have claims of devices, from the match to the binding, and
// what is given back of those that are not bound.
#include "matcher/devices/devices_text.h"
#include "tests/workers/support/device_claims_fixture.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using DeviceClaimsPlaced = DeviceClaimsTest;

TEST_F(DeviceClaimsPlaced, ClaimsAreWrittenBeforeTheBinding) {
  const std::string a = CreatePod("a", "gang", 2, 2);
  const std::string b = CreatePod("b", "gang", 2, 2);
  PlaceAll();
  EXPECT_EQ(PlacesOf("gang"), "n0 n1");
  EXPECT_EQ(DevicesOf("a"), "");
  BindDue();
  EXPECT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
  EXPECT_EQ(DevicesOf("b"), "n1/gpu-0 n1/gpu-1");
  EXPECT_THAT(ConsumersOf("a"), ElementsAre(a));
  EXPECT_THAT(ConsumersOf("b"), ElementsAre(b));
  EXPECT_EQ(Release(), 0);
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
}

TEST_F(DeviceClaimsPlaced, DevicesOfOthersAreNotTaken) {
  TakeAway("n0", "gpu-1");
  CreatePod("a", "gang", 1, 2);
  PlaceAll();
  EXPECT_EQ(PlacesOf("gang"), "n1");
  CreatePod("b", "late", 1, 2);
  PlaceAll();
  EXPECT_THAT(StateOf("late"), HasSubstr("pending"));
  EXPECT_EQ(PlacesOf("late"), "NULL");
}

TEST_F(DeviceClaimsPlaced, DeviceThatIsTakenMeanwhileSendsTheWholeGroupBack) {
  CreatePod("a", "gang", 2, 2);
  CreatePod("b", "gang", 2, 1);
  PlaceAll();
  ASSERT_EQ(PlacesOf("gang"), "n0 n1");
  TakeAway("n1", "gpu-0");
  Observe();
  BindDue();
  EXPECT_EQ(DevicesOf("a"), "");
  EXPECT_EQ(StateOf("gang"), "pending queued");
  Match();
  BindDue();
  EXPECT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(DevicesOf("b"), "n1/gpu-1");
}

TEST_F(DeviceClaimsPlaced, WhatAGroupWithoutAPlaceHasIsGivenBack) {
  CreatePod("a", "gang", 1, 2);
  PlaceAll();
  door.refuses_bindings = "not now";
  BindDue();
  door.refuses_bindings.clear();
  EXPECT_EQ(StateOf("gang"), "pending queued");
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
  EXPECT_EQ(Release(), 1);
  EXPECT_EQ(DevicesOf("a"), "");
  EXPECT_THAT(ConsumersOf("a"), IsEmpty());
  EXPECT_EQ(Release(), 0);
}

// The watch may tell of the devices before it tells of the binding.
TEST_F(DeviceClaimsPlaced, BoundPodThatLooksUnboundKeepsItsDevices) {
  CreatePod("a", "gang", 1, 2);
  PlaceAll();
  BindDue();
  ASSERT_EQ(StateOf("gang"), "bound");
  cache->Apply(std::vector<cluster::WatchEvent>{
      {.object = door.ResourceClaimOf("default/a-gpus")}});
  EXPECT_EQ(ReleaseByTheCache(), 0);
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
}

TEST_F(DeviceClaimsPlaced, WhatABinderWroteBeforeItWasKilledIsBoundByTheNext) {
  const std::string a = CreatePod("a", "gang", 1, 2);
  PlaceAll();
  cluster::ClaimAllocation written;
  written.claim = door.ResourceClaimOf("default/a-gpus");
  written.devices.devices = matcher::ReadDevices(
      Ask("SELECT devices FROM placements WHERE pod_uid = '" + a + "'"));
  written.devices.nodes.node = "n0";
  cluster::ClaimConsumer consumer;
  consumer.name = "a";
  consumer.uid = a;
  written.consumers = {consumer};
  door.AllocateClaims({&written, 1});
  EXPECT_EQ(Release(), 0);
  BindDue();
  EXPECT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
}

TEST_F(DeviceClaimsPlaced, ClaimWithOtherDevicesThanThePlacementIsGivenBack) {
  const std::string a = CreatePod("a", "gang", 1, 2);
  PlaceAll();
  cluster::ResourceClaim claim = *door.ResourceClaimOf("default/a-gpus");
  matcher::AllocatedDevice held;
  held.request = "gpu";
  held.id = {"gpu.example.com", "n1", "gpu-0"};
  claim.allocation = cluster::ClaimDevices{{held}, {"n1"}};
  cluster::ClaimConsumer consumer;
  consumer.name = "a";
  consumer.uid = a;
  claim.reserved_for = {consumer};
  door.PutResourceClaim(claim);
  Observe();
  BindDue();
  EXPECT_EQ(StateOf("gang"), "allocated");
  EXPECT_EQ(Release(), 1);
  Observe();
  BindDue();
  EXPECT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
}

TEST_F(DeviceClaimsPlaced, PodIsBoundOnceTheConditionsOfItsDevicesHold) {
  NameConditions("n0");
  CreatePod("a", "gang", 2, 2);
  CreatePod("b", "gang", 2, 2);
  PlaceAll();
  BindDue();
  EXPECT_EQ(StateOf("gang"), "allocated");
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
  Say("a", {{"gpu-0", "Attached"}});
  BindDue();
  EXPECT_EQ(StateOf("gang"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods WHERE state = 'bound'"), "0");
  EXPECT_EQ(Release(), 0);
  Say("a", {{"gpu-0", "Attached"}, {"gpu-1", "Attached"}});
  BindDue();
  EXPECT_EQ(StateOf("gang"), "bound");
}

TEST_F(DeviceClaimsPlaced, WaitForConditionsAsksTheClusterForNothing) {
  NameConditions("n0");
  CreatePod("a", "gang", 2, 1);
  CreatePod("b", "gang", 2, 1);
  PlaceAll();
  BindDue();
  EXPECT_EQ(door.asked_for_claims, 2);
  Say("a", {{"gpu-0", "Attached"}});
  for (int i = 0; i < 3; ++i) BindDue(kNoon + std::chrono::seconds(i));
  EXPECT_EQ(StateOf("gang"), "allocated");
  EXPECT_EQ(door.asked_for_claims, 2);
  Say("b", {{"gpu-1", "Attached"}});
  BindDue();  // looks at the claims themselves once more
  EXPECT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(door.asked_for_claims, 4);
}

TEST_F(DeviceClaimsPlaced, ClaimThatIsGivenBackDuringTheWaitIsWrittenAgain) {
  NameConditions("n0");
  const std::string a = CreatePod("a", "gang", 1, 2);
  PlaceAll();
  BindDue();
  Observe();
  cluster::ResourceClaim claim = *door.ResourceClaimOf("default/a-gpus");
  Apply(cluster::ClaimRelease{nullptr, {a}}, claim);
  door.PutResourceClaim(claim);
  Observe();
  ASSERT_EQ(DevicesOf("a"), "");
  BindDue();
  EXPECT_EQ(DevicesOf("a"), "n0/gpu-0 n0/gpu-1");
}

TEST_F(DeviceClaimsPlaced, GroupSaysForWhichConditionItWaitsAndUntilWhen) {
  NameConditions("n0");
  CreatePod("a", "gang", 2, 2);
  CreatePod("b", "gang", 2, 2);
  PlaceAll();
  const auto reason = [this] {
    return Ask("SELECT reason FROM group_standing");
  };
  EXPECT_EQ(reason(), "is being bound");
  BindDue();
  const std::string until =
      cluster::FormatTimestamp(std::chrono::floor<std::chrono::seconds>(kNoon) +
                               std::chrono::minutes(10));
  const std::string first =
      "device n0/gpu-0 of gpu.example.com in the ResourceClaim \"a-gpus\" "
      "waits for its condition \"Attached\", until " +
      until;
  EXPECT_EQ(reason(), first);
  EXPECT_EQ(Ask("SELECT shown_state FROM group_standing"), "allocated");
  const std::string written = Ask("SELECT xmin::text FROM pod_groups");
  BindDue();
  EXPECT_EQ(Ask("SELECT xmin::text FROM pod_groups"), written);
  Say("a", {{"gpu-0", "Attached"}});
  BindDue();
  EXPECT_THAT(reason(), HasSubstr("device n0/gpu-1 of"));
  Say("a", {{"gpu-0", "Attached"}, {"gpu-1", "Attached"}});
  BindDue();
  EXPECT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(reason(), "NULL");
}

TEST_F(DeviceClaimsPlaced, FailedConditionSendsTheWholeGroupBack) {
  NameConditions("n0");
  CreatePod("a", "gang", 2, 2);
  CreatePod("b", "gang", 2, 2);
  PlaceAll();
  BindDue();
  Say("a", {{"gpu-0", "Attached"}, {"gpu-1", "Broken"}});
  BindDue();
  EXPECT_EQ(StateOf("gang"), "pending queued");
  EXPECT_EQ(Ask("SELECT reason FROM pod_groups"),
            "placed again: device n0/gpu-1 of gpu.example.com in the "
            "ResourceClaim \"a-gpus\" has the condition \"Broken\"");
  EXPECT_EQ(Release(), 2);
}

TEST_F(DeviceClaimsPlaced, ConditionThatDoesNotComeSendsTheGroupBackInTime) {
  NameConditions("n0");
  CreatePod("a", "gang", 2, 2);
  CreatePod("b", "gang", 2, 2);
  PlaceAll();
  BindDue(kNoon + std::chrono::seconds(599));
  EXPECT_EQ(StateOf("gang"), "allocated");
  BindDue(kNoon + std::chrono::seconds(600));
  EXPECT_EQ(StateOf("gang"), "pending queued");
  EXPECT_EQ(Ask("SELECT reason FROM pod_groups"),
            "placed again: device n0/gpu-0 of gpu.example.com in the "
            "ResourceClaim \"a-gpus\" waits for its condition \"Attached\", "
            "and has not got it in time");
}

TEST_F(DeviceClaimsPlaced, WhatCanNeverBeIsTold) {
  CreatePod("a", "many", 1, 3);
  device_class_ = "tpu";
  CreatePod("b", "missing", 1, 1);
  PlaceAll();
  const auto reason = [this](const std::string& group) {
    EXPECT_EQ(StateOf(group), "unsatisfiable");
    return Ask("SELECT reason FROM pod_groups WHERE group_name = '" + group +
               "'");
  };
  EXPECT_THAT(reason("many"), HasSubstr("no node that it may use has the "
                                        "devices of its claims"));
  EXPECT_THAT(reason("missing"), HasSubstr("tpu"));
}

}  // namespace
}  // namespace fluxnetes::workers
