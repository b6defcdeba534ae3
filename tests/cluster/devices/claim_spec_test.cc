#include "cluster/devices/claim_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using matcher::DeviceChoice;
using matcher::DeviceTaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kRich = R"({"devices": {
  "requests": [
    {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com",
      "selectors": [{"cel": {"expression": "device.driver == 'a'"}}],
      "count": 2, "tolerations": [{"key": "slow", "operator": "Exists",
        "effect": "NoExecute", "tolerationSeconds": 60}],
      "capacity": {"requests": {"memory": "10Gi"}}}},
    {"name": "nic", "firstAvailable": [
      {"name": "fast", "deviceClassName": "fast.example.com",
       "allocationMode": "All"},
      {"name": "slow", "deviceClassName": "slow.example.com"}]},
    {"name": "look", "exactly": {"deviceClassName": "gpu.example.com",
      "adminAccess": true}}],
  "constraints": [
    {"requests": ["gpu", "nic/fast"], "matchAttribute": "example.com/root"},
    {"distinctAttribute": "example.com/rack"}],
  "config": [{"requests": ["gpu"], "opaque": {"driver": "gpu.example.com",
    "parameters": {"empty": {}, "off": false}}}]}})";

TEST(ClaimSpec, ReadsRequestsConstraintsAndConfiguration) {
  const ClaimSpec spec = ReadClaimSpec(kRich);
  ASSERT_EQ(spec.fault, "");
  ASSERT_EQ(spec.devices.requests.size(), 3U);
  const DeviceChoice& gpu = spec.devices.requests[0].choices.at(0);
  EXPECT_EQ(gpu.device_class, "gpu.example.com");
  EXPECT_THAT(gpu.selectors, ElementsAre("device.driver == 'a'"));
  EXPECT_EQ(gpu.count, 2);
  EXPECT_EQ(gpu.amounts.at("memory"), matcher::ReadAmount("10Gi"));
  ASSERT_EQ(gpu.tolerations.size(), 1U);
  EXPECT_TRUE(gpu.tolerations[0].exists);
  EXPECT_EQ(gpu.tolerations[0].effect, DeviceTaint::Effect::kNoExecute);
  const auto& nic = spec.devices.requests[1].choices;
  ASSERT_EQ(nic.size(), 2U);
  EXPECT_EQ(nic[0].name, "fast");
  EXPECT_TRUE(nic[0].all);
  EXPECT_FALSE(nic[1].all);
  EXPECT_EQ(nic[1].count, 1);
  EXPECT_TRUE(spec.devices.requests[2].choices[0].admin_access);
  ASSERT_EQ(spec.devices.constraints.size(), 2U);
  EXPECT_THAT(spec.devices.constraints[0].requests,
              ElementsAre("gpu", "nic/fast"));
  EXPECT_EQ(spec.devices.constraints[0].match, "example.com/root");
  EXPECT_EQ(spec.devices.constraints[1].distinct, "example.com/rack");
  EXPECT_THAT(spec.config, ElementsAre(DeviceConfig{
                               {"gpu"},
                               R"({"opaque":{"driver":"gpu.example.com",)"
                               R"("parameters":{"empty":{},"off":false}}})"}));
}

TEST(ClaimSpec, TextsAreEqualForSpecsThatAskTheSame) {
  const ClaimSpec as_written = ReadClaimSpec(R"({"devices": {"requests": [
      {"name": "gpu", "exactly": {"deviceClassName": "a"}}]}})");
  const ClaimSpec as_served = ReadClaimSpec(
      R"({"devices":{"constraints":[],"requests":[{"exactly":{
      "deviceClassName":"a","allocationMode":"ExactCount","count":1,
      "selectors":null,"adminAccess":false},"name":"gpu"}]}})");
  EXPECT_EQ(as_written, as_served);
  EXPECT_EQ(
      as_written.text,
      R"({"devices":{"requests":[{"exactly":{"allocationMode":)"
      R"("ExactCount","count":1,"deviceClassName":"a"},"name":"gpu"}]}})");
  const ClaimSpec other = ReadClaimSpec(R"({"devices": {"requests": [
      {"name": "gpu", "exactly": {"deviceClassName": "a", "count": 2}}]}})");
  EXPECT_NE(as_written.text, other.text);
}

TEST(ClaimSpec, ATextReadsAgainAsTheSameSpec) {
  const ClaimSpec spec = ReadClaimSpec(kRich);
  EXPECT_EQ(ReadClaimSpec(spec.text), spec);
}

TEST(ClaimSpec, AClaimIsWrittenAndReadAgain) {
  const ClaimSpec spec = ReadClaimSpec(kRich);
  const ClaimSpec again = ReadClaimSpec(WriteClaimSpec(spec.devices));
  EXPECT_EQ(again.fault, "");
  EXPECT_EQ(again.devices, spec.devices);
}

std::string FaultOf(const std::string& request) {
  const ClaimSpec spec =
      ReadClaimSpec(R"({"devices": {"requests": [)" + request + "]}}");
  EXPECT_EQ(spec.fault.empty(), !spec.devices.requests.empty());
  return spec.fault;
}

TEST(ClaimSpec, WhatIsNotSupportedIsNamedWithItsPlace) {
  EXPECT_EQ(FaultOf(R"({"name": "a", "exactly": {"deviceClassName": "b",
                        "shape": 1}})"),
            "devices.requests[0].exactly.shape: this field is not supported");
  EXPECT_THAT(FaultOf(R"({"name": "a"})"),
              HasSubstr("either `exactly` or `firstAvailable`"));
  EXPECT_THAT(FaultOf(R"({"name": "a", "exactly": {}})"),
              HasSubstr("exactly.deviceClassName: is missing"));
  EXPECT_THAT(FaultOf(R"({"name": "a", "exactly": {"deviceClassName": "b",
                          "allocationMode": "Some"}})"),
              HasSubstr("\"Some\" is not supported, only ExactCount and All"));
  EXPECT_THAT(FaultOf(R"({"name": "a", "exactly": {"deviceClassName": "b",
                          "count": -1}})"),
              HasSubstr("exactly.count: \"-1\" is not a number above 0"));
  EXPECT_THAT(FaultOf(R"({"name": "a", "exactly": {"deviceClassName": "b",
                          "selectors": [{"jq": "."}]}})"),
              HasSubstr("selectors[0].jq: this field is not supported"));
  EXPECT_THAT(FaultOf(R"({"name": "a", "exactly": {"deviceClassName": "b",
                          "tolerations": [{"operator": "Gt"}]}})"),
              HasSubstr("tolerations[0].operator: \"Gt\" is not supported"));
  EXPECT_THAT(FaultOf(R"({"name": "a", "exactly": {"deviceClassName": "b",
                          "capacity": {"requests": {"memory": "much"}}}})"),
              HasSubstr("capacity.requests.memory"));
  EXPECT_EQ(ReadClaimSpec(R"({"devices": {}, "controller": "x"})").fault,
            "controller: this field is not supported");
  EXPECT_EQ(ReadClaimSpec("{").fault, "is not JSON");
}

TEST(ClaimSpec, DeepNestingIsAFault) {
  const std::string deep(100'000, '[');
  const std::string text =
      R"({"devices": {"requests": )" + deep + std::string(100'000, ']') + "}}";
  EXPECT_EQ(ReadClaimSpec(text).fault, "is nested too deeply");
}

}  // namespace
}  // namespace fluxnetes::cluster
