#include "cluster/devices/device_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/devices/claim_decoder.h"
#include "cluster/devices/claim_spec.h"
#include "cluster/devices/device_decoder.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr const char* kWrittenSpec = R"({"devices": {"requests": [
    {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}})";

TEST(DeviceWriter, AClaimComesBackUnchanged) {
  ResourceClaim claim;
  claim.namespace_name = "team";
  claim.name = "c";
  claim.uid = "u";
  claim.resource_version = "7";
  claim.owner = Owner{"Pod", "p", "pu"};
  claim.spec.Own() = ReadClaimSpec(kWrittenSpec);
  claim.allocation = ClaimDevices{
      .devices = {{.claim = "", .request = "gpu", .id = {"d", "p", "gpu-0"}}},
      .nodes = {.node = "n1"}};
  claim.reserved_for = {{.name = "p", .uid = "pu"}};
  claim.finalizers = {kClaimFinalizer};
  claim.terminating = true;
  EXPECT_EQ(DecodeResourceClaim(Json::parse(WriteResourceClaim(claim))), claim);
  claim.allocation->nodes = {.node = "", .all = true};
  EXPECT_EQ(DecodeResourceClaim(Json::parse(WriteResourceClaim(claim))), claim);
}

TEST(DeviceWriter, ATemplateComesBackUnchanged) {
  ResourceClaimTemplate of;
  of.namespace_name = "team";
  of.name = "t";
  of.uid = "u";
  of.resource_version = "7";
  of.spec = ReadClaimSpec(kWrittenSpec);
  EXPECT_EQ(
      DecodeResourceClaimTemplate(Json::parse(WriteResourceClaimTemplate(of))),
      of);
}

TEST(DeviceWriter, AClassComesBackUnchanged) {
  DeviceClass device_class;
  device_class.resource_version = "3";
  device_class.device_class = {
      "gpu.example.com", {"device.driver == \"d\""}, "example.com/gpu"};
  device_class.config = {R"({"opaque":{"driver":"d","parameters":{}}})"};
  EXPECT_EQ(DecodeDeviceClass(Json::parse(WriteDeviceClass(device_class))),
            device_class);
}

TEST(DeviceWriter, ASliceComesBackUnchanged) {
  using Op = matcher::LabelRequirement::Op;
  using Effect = matcher::DeviceTaint::Effect;
  ResourceSlice slice;
  slice.resource_version = "3";
  slice.slice = {.name = "s",
                 .driver = "d.com",
                 .pool = "p",
                 .generation = 4,
                 .slices = 2};
  slice.slice.counters = {{"set", {{"memory", *matcher::ReadAmount("1Gi")}}}};
  matcher::Device& device = slice.slice.devices.emplace_back();
  device.name = "gpu-0";
  device.attributes = {{"d.com/model", std::string("H")},
                       {"d.com/numa", std::int64_t{1}},
                       {"d.com/ecc", true},
                       {"e.com/v", matcher::DeviceVersion{"1.2.3"}}};
  device.capacity = {{"d.com/memory", *matcher::ReadAmount("40Gi")}};
  device.policies["d.com/memory"].fallback = matcher::ReadAmount("1Gi");
  device.policies["d.com/memory"].minimum = matcher::ReadAmount("1Gi");
  device.uses = {{"set", {{"memory", *matcher::ReadAmount("1Gi")}}}};
  device.taints = {{"slow", "v", Effect::kNoExecute},
                   {"new", "", Effect::kNone}};
  device.nodes = matcher::DeviceNodes{
      .node = "",
      .all = false,
      .terms = {{{"rack", Op::kNotIn, {"a"}}, {"name", Op::kExists, {}}}}};
  device.shared = true;
  device.binding_conditions = {"ready"};
  device.binding_failures = {"broken"};
  device.binds_to_node = true;
  EXPECT_EQ(DecodeResourceSlice(Json::parse(WriteResourceSlice(slice))), slice);
}

}  // namespace
}  // namespace fluxnetes::cluster
