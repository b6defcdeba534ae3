#include "cluster/devices/claim_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/devices/claim_spec.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr Time kNoon{std::chrono::seconds(1'767'268'800)};

constexpr const char* kSpec = R"({"devices": {
  "requests": [
    {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com",
      "tolerations": [{"key": "slow", "operator": "Exists",
                       "effect": "NoExecute", "tolerationSeconds": 60}]}},
    {"name": "nic", "firstAvailable": [
      {"name": "fast", "deviceClassName": "fast.example.com"},
      {"name": "slow", "deviceClassName": "slow.example.com"}]}],
  "config": [
    {"opaque": {"driver": "d", "parameters": {"all": 1}}},
    {"requests": ["nic"], "opaque": {"driver": "d", "parameters": {"n": 1}}},
    {"requests": ["nic/fast"],
     "opaque": {"driver": "d", "parameters": {"f": 1}}}]}})";

std::shared_ptr<const ResourceClaim> UnseenClaim() {
  ResourceClaim claim;
  claim.namespace_name = "team";
  claim.name = "c";
  claim.uid = "u";
  claim.resource_version = "5";
  claim.spec.Own() = ReadClaimSpec(kSpec);
  return std::make_shared<const ResourceClaim>(std::move(claim));
}

std::shared_ptr<const DeviceClass> ClassOf(const std::string& name) {
  DeviceClass device_class;
  device_class.device_class.name = name;
  device_class.config = {R"({"opaque":{"driver":")" + name + R"("}})"};
  return std::make_shared<const DeviceClass>(std::move(device_class));
}

ClaimAllocation Wish() {
  ClaimAllocation wish;
  wish.claim = UnseenClaim();
  wish.devices.nodes.node = "node1";
  wish.devices.devices = {{.claim = "",
                           .request = "gpu",
                           .id = {"gpu.example.com", "node1", "gpu-0"}},
                          {.claim = "",
                           .request = "nic/slow",
                           .id = {"nic.example.com", "node1", "nic-0"}}};
  wish.devices.devices[1].consumed = {
      {"bandwidth", *matcher::ReadAmount("1Gi")}};
  wish.devices.devices[1].share = "s";
  wish.classes = {ClassOf("slow.example.com"), ClassOf("fast.example.com")};
  wish.consumers = {{.name = "p", .uid = "pu"}};
  return wish;
}

Json BodyOf(const std::variant<ClaimResult, ClaimPatch>& step, bool status) {
  const auto* const patch = std::get_if<ClaimPatch>(&step);
  if (patch == nullptr) return "no patch";
  EXPECT_EQ(patch->status, status);
  return Json::parse(patch->body);
}

TEST(ClaimChanges, TheFinalizerComesBeforeTheDevices) {
  const ClaimAllocation wish = Wish();
  EXPECT_EQ(BodyOf(NextPatch(wish, *wish.claim, kNoon), false),
            Json::parse(R"({"metadata": {"uid": "u", "resourceVersion": "5",
              "finalizers": ["resource.kubernetes.io/delete-protection"]}})"));
}

TEST(ClaimChanges, DevicesAreWrittenWithConfigurationNodesAndConsumers) {
  const ClaimAllocation wish = Wish();
  ResourceClaim now = *wish.claim;
  now.finalizers = {kClaimFinalizer};
  EXPECT_EQ(BodyOf(NextPatch(wish, now, kNoon), true), Json::parse(R"({
    "metadata": {"uid": "u", "resourceVersion": "5"},
    "status": {
      "reservedFor": [{"resource": "pods", "name": "p", "uid": "pu"}],
      "allocation": {
        "allocationTimestamp": "2026-01-01T12:00:00Z",
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
          {"key": "metadata.name", "operator": "In", "values": ["node1"]}]}]},
        "devices": {
          "results": [
            {"request": "gpu", "driver": "gpu.example.com", "pool": "node1",
             "device": "gpu-0", "tolerations": [{"key": "slow",
               "operator": "Exists", "effect": "NoExecute",
               "tolerationSeconds": 60}]},
            {"request": "nic/slow", "driver": "nic.example.com",
             "pool": "node1", "device": "nic-0", "shareID": "s",
             "consumedCapacity": {"bandwidth": "1073741824"}}],
          "config": [
            {"source": "FromClass", "requests": ["nic/slow"],
             "opaque": {"driver": "slow.example.com"}},
            {"source": "FromClaim",
             "opaque": {"driver": "d", "parameters": {"all": 1}}},
            {"source": "FromClaim", "requests": ["nic"],
             "opaque": {"driver": "d", "parameters": {"n": 1}}}]}}}})"));
}

TEST(ClaimChanges, OnlyMissingConsumersAreAddedToWhatIsAllocated) {
  const ClaimAllocation wish = Wish();
  ResourceClaim now = *wish.claim;
  Apply(wish, now);
  EXPECT_EQ(std::get<ClaimResult>(NextPatch(wish, now, kNoon)).outcome,
            ClaimOutcome::kWritten);
  now.reserved_for = {{.name = "q", .uid = "qu"}};
  EXPECT_EQ(BodyOf(NextPatch(wish, now, kNoon), true),
            Json::parse(R"({"metadata": {"uid": "u", "resourceVersion": "5"},
              "status": {"reservedFor": [
                {"resource": "pods", "name": "p", "uid": "pu"}]}})"));
}

TEST(ClaimChanges, DevicesInAnotherOrderAreTheSame) {
  const ClaimAllocation wish = Wish();
  ClaimDevices other = wish.devices;
  std::swap(other.devices[0], other.devices[1]);
  EXPECT_TRUE(SameDevices(wish.devices, other));
  other.devices[0].id.device = "nic-1";
  EXPECT_FALSE(SameDevices(wish.devices, other));
}

TEST(ClaimChanges, TheLastConsumerTakesTheDevicesAlongAndThenTheFinalizer) {
  const ClaimAllocation wish = Wish();
  ResourceClaim now = *wish.claim;
  Apply(wish, now);
  const ClaimRelease release{wish.claim, {"pu"}};
  EXPECT_EQ(BodyOf(NextPatch(release, now), true), Json::parse(R"({
      "metadata": {"uid": "u", "resourceVersion": "5"},
      "status": {"allocation": null,
                 "reservedFor": [{"$patch": "delete", "uid": "pu"}]}})"));
  now.reserved_for.clear();
  now.allocation.reset();
  EXPECT_EQ(BodyOf(NextPatch(release, now), false), Json::parse(R"({
      "metadata": {"uid": "u", "resourceVersion": "5",
        "$deleteFromPrimitiveList/finalizers":
          ["resource.kubernetes.io/delete-protection"]}})"));
  now.finalizers.clear();
  EXPECT_EQ(std::get<ClaimResult>(NextPatch(release, now)).outcome,
            ClaimOutcome::kWritten);
}

TEST(ClaimChanges, DevicesThatWereWrittenSinceAreKept) {
  const ClaimAllocation wish = Wish();
  ResourceClaim seen = *wish.claim;
  Apply(wish, seen);
  const ClaimRelease release{std::make_shared<const ResourceClaim>(seen),
                             {"pu"}};
  ResourceClaim now = seen;
  now.allocation->devices[0].id.device = "gpu-1";
  EXPECT_EQ(std::get<ClaimResult>(NextPatch(release, now)).outcome,
            ClaimOutcome::kWritten);
  now.allocation.reset();
  EXPECT_TRUE(std::holds_alternative<ClaimPatch>(NextPatch(release, now)));
}

TEST(ClaimChanges, OtherConsumersKeepTheDevices) {
  const ClaimAllocation wish = Wish();
  ResourceClaim now = *wish.claim;
  Apply(wish, now);
  now.reserved_for.push_back({.name = "q", .uid = "qu"});
  const ClaimRelease release{wish.claim, {"pu"}};
  EXPECT_EQ(BodyOf(NextPatch(release, now), true), Json::parse(R"({
      "metadata": {"uid": "u", "resourceVersion": "5"},
      "status": {"reservedFor": [{"$patch": "delete", "uid": "pu"}]}})"));
  Apply(release, now);
  EXPECT_TRUE(now.allocation);
  EXPECT_EQ(now.reserved_for.size(), 1U);
}

}  // namespace
}  // namespace fluxnetes::cluster
