#include "cluster/devices/claim_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using matcher::LabelRequirement;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kAllocated = R"({
  "metadata": {"namespace": "team", "name": "web-gpu-x", "uid": "u1",
    "resourceVersion": "7", "deletionTimestamp": "2026-01-01T00:00:00Z",
    "finalizers": ["resource.kubernetes.io/delete-protection"],
    "ownerReferences": [{"kind": "Pod", "name": "web", "uid": "p1",
                         "controller": true}]},
  "spec": {"devices": {"requests": [
    {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}},
  "status": {
    "allocation": {
      "devices": {"results": [
        {"request": "gpu", "driver": "gpu.example.com", "pool": "node1",
         "device": "gpu-3", "adminAccess": true, "shareID": "s1",
         "consumedCapacity": {"memory": "1Gi"},
         "tolerations": [{"operator": "Exists"}]}]},
      "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
        {"key": "metadata.name", "operator": "In", "values": ["node1"]}]}]}},
    "reservedFor": [
      {"resource": "pods", "name": "web", "uid": "p1"},
      {"apiGroup": "example.com", "resource": "runs", "name": "r",
       "uid": "r1"}]}})";

TEST(ClaimDecoder, ReadsWhatAClaimHasAndWhoUsesIt) {
  const ResourceClaim claim = DecodeResourceClaim(Json::parse(kAllocated));
  EXPECT_EQ(Key(claim), "team/web-gpu-x");
  EXPECT_EQ(claim.uid, "u1");
  EXPECT_EQ(claim.resource_version, "7");
  EXPECT_TRUE(claim.terminating);
  EXPECT_EQ(claim.owner, (Owner{"Pod", "web", "p1"}));
  EXPECT_THAT(claim.finalizers, ElementsAre(kClaimFinalizer));
  EXPECT_THAT(claim.spec->devices.requests, SizeIs(1));
  ASSERT_TRUE(claim.allocation);
  EXPECT_EQ(claim.allocation->nodes, matcher::DeviceNodes{.node = "node1"});
  ASSERT_THAT(claim.allocation->devices, SizeIs(1));
  const matcher::AllocatedDevice& device = claim.allocation->devices[0];
  EXPECT_EQ(device.claim, "");
  EXPECT_EQ(device.request, "gpu");
  EXPECT_EQ(device.id,
            (matcher::DeviceId{"gpu.example.com", "node1", "gpu-3"}));
  EXPECT_TRUE(device.admin_access);
  EXPECT_EQ(device.share, "s1");
  EXPECT_EQ(device.consumed.at("memory"), matcher::ReadAmount("1Gi"));
  EXPECT_THAT(device.tolerations, SizeIs(1));
  EXPECT_THAT(claim.reserved_for,
              ElementsAre(ClaimConsumer{"", "pods", "web", "p1"},
                          ClaimConsumer{"example.com", "runs", "r", "r1"}));
}

TEST(ClaimDecoder, ConditionsOfDevicesAreThoseThatAreTrue) {
  const ResourceClaim claim = DecodeResourceClaim(Json::parse(R"({
    "metadata": {"name": "a"}, "spec": {"devices": {}},
    "status": {
      "allocation": {"devices": {"results": [
        {"request": "gpu", "driver": "d", "pool": "p", "device": "gpu-0",
         "bindingConditions": ["Attached"],
         "bindingFailureConditions": ["Broken"]}]}},
      "devices": [
        {"driver": "d", "pool": "p", "device": "gpu-0", "shareID": "s",
         "conditions": [{"type": "Attached", "status": "True"},
                        {"type": "Broken", "status": "False"},
                        {"type": "Ready", "status": "Unknown"}]}]}})"));
  ASSERT_TRUE(claim.allocation);
  const matcher::AllocatedDevice& device = claim.allocation->devices.at(0);
  EXPECT_THAT(device.binding_conditions, ElementsAre("Attached"));
  EXPECT_THAT(device.binding_failures, ElementsAre("Broken"));
  EXPECT_THAT(claim.statuses, ElementsAre(DeviceStatus{
                                  {"d", "p", "gpu-0"}, "s", {"Attached"}}));
}

TEST(ClaimDecoder, AClaimWithoutStatusHasNothing) {
  const ResourceClaim claim = DecodeResourceClaim(Json::parse(R"({
    "metadata": {"name": "a", "ownerReferences": [{"kind": "Run"}]},
    "spec": {"devices": {}}, "status": {}})"));
  EXPECT_EQ(claim.allocation, std::nullopt);
  EXPECT_EQ(claim.owner, std::nullopt);
  EXPECT_THAT(claim.reserved_for, IsEmpty());
  EXPECT_FALSE(claim.terminating);
}

TEST(ClaimDecoder, TheSpecOfATemplateIsThatOfItsClaims) {
  const ResourceClaimTemplate of = DecodeResourceClaimTemplate(Json::parse(R"({
    "metadata": {"namespace": "team", "name": "one", "uid": "t1"},
    "spec": {"metadata": {"labels": {"a": "b"}}, "spec": {"devices": {
      "requests": [{"name": "gpu",
                    "exactly": {"deviceClassName": "a"}}]}}}})"));
  EXPECT_EQ(Key(of), "team/one");
  ASSERT_THAT(of.spec.devices.requests, SizeIs(1));
  EXPECT_EQ(of.spec.devices.requests[0].name, "gpu");
}

TEST(ClaimDecoder, ASelectorOfOneNodeIsThatNode) {
  EXPECT_EQ(DecodeDeviceNodes(nullptr),
            (matcher::DeviceNodes{.node = "", .all = true}));
  const matcher::DeviceNodes racks = DecodeDeviceNodes(Json::parse(R"({
    "nodeSelectorTerms": [{}, {"matchExpressions": [
      {"key": "rack", "operator": "In", "values": ["a", "b"]},
      {"key": "x", "operator": "Near", "values": ["c"]}]}]})"));
  EXPECT_FALSE(racks.all);
  EXPECT_THAT(
      racks.terms,
      ElementsAre(ElementsAre(
          LabelRequirement{"rack", LabelRequirement::Op::kIn, {"a", "b"}},
          LabelRequirement{"x", LabelRequirement::Op::kIn, {}})));
}

TEST(ClaimDecoder, WrongTypesAreDefaults) {
  const ResourceClaim claim = DecodeResourceClaim(Json::parse(R"({
    "metadata": {"name": 3, "finalizers": {}, "ownerReferences": [1]},
    "spec": [], "status": {"allocation": {"devices": {"results": [null, 3]},
      "nodeSelector": 4}, "reservedFor": "x"}})"));
  EXPECT_EQ(claim.name, "");
  ASSERT_TRUE(claim.allocation);
  EXPECT_THAT(claim.allocation->devices, SizeIs(2));
  EXPECT_EQ(claim.allocation->nodes, matcher::DeviceNodes{});
}

}  // namespace
}  // namespace fluxnetes::cluster
