#include "cluster/devices/device_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using matcher::DeviceTaint;
using matcher::ReadAmount;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kSlice = R"({
  "metadata": {"name": "node1-gpus", "resourceVersion": "9"},
  "spec": {
    "driver": "gpu.example.com", "nodeName": "node1",
    "pool": {"name": "node1", "generation": 3, "resourceSliceCount": 2},
    "sharedCounters": [{"name": "gpu-0", "counters": {
      "memory": {"value": "40Gi"}}}],
    "devices": [
      {"name": "gpu-0",
       "attributes": {"model": {"string": "H"}, "numa": {"int": 1},
         "driverVersion": {"version": "1.2.3"},
         "resource.kubernetes.io/pcieRoot": {"string": "pci0"},
         "ecc": {"bool": true}},
       "capacity": {"memory": {"value": "40Gi", "requestPolicy": {
         "default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi"}}}},
       "consumesCounters": [{"counterSet": "gpu-0", "counters": {
         "memory": {"value": "40Gi"}}}],
       "taints": [{"key": "slow", "value": "v", "effect": "NoExecute"},
                  {"key": "new", "effect": "Later"}],
       "allowMultipleAllocations": true, "bindsToNode": true,
       "bindingConditions": ["ready"],
       "bindingFailureConditions": ["broken"]},
      {"name": "gpu-1", "allNodes": true}]}})";

TEST(DeviceDecoder, ReadsASliceWithAllThatADeviceMayHave) {
  const ResourceSlice read = DecodeResourceSlice(Json::parse(kSlice));
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.resource_version, "9");
  const matcher::DeviceSlice& slice = read.slice;
  EXPECT_EQ(slice.name, "node1-gpus");
  EXPECT_EQ(slice.driver, "gpu.example.com");
  EXPECT_EQ(slice.pool, "node1");
  EXPECT_EQ(slice.generation, 3);
  EXPECT_EQ(slice.slices, 2);
  EXPECT_EQ(slice.nodes, matcher::DeviceNodes{.node = "node1"});
  EXPECT_THAT(slice.counters, ElementsAre(matcher::CounterSet{
                                  "gpu-0", {{"memory", *ReadAmount("40Gi")}}}));
  ASSERT_THAT(slice.devices, SizeIs(2));
  const matcher::Device& gpu = slice.devices[0];
  EXPECT_EQ(gpu.attributes.at("gpu.example.com/model"),
            matcher::DeviceAttribute("H"));
  EXPECT_EQ(gpu.attributes.at("gpu.example.com/numa"),
            matcher::DeviceAttribute(std::int64_t{1}));
  EXPECT_EQ(gpu.attributes.at("gpu.example.com/driverVersion"),
            matcher::DeviceAttribute(matcher::DeviceVersion{"1.2.3"}));
  EXPECT_EQ(gpu.attributes.at("gpu.example.com/ecc"),
            matcher::DeviceAttribute(true));
  EXPECT_EQ(gpu.attributes.at("resource.kubernetes.io/pcieRoot"),
            matcher::DeviceAttribute("pci0"));
  EXPECT_EQ(gpu.capacity.at("gpu.example.com/memory"), ReadAmount("40Gi"));
  const auto& policy = gpu.policies.at("gpu.example.com/memory");
  EXPECT_EQ(policy.fallback, ReadAmount("1Gi"));
  EXPECT_EQ(policy.minimum, ReadAmount("1Gi"));
  EXPECT_EQ(policy.maximum, std::nullopt);
  EXPECT_EQ(policy.step, ReadAmount("1Gi"));
  EXPECT_THAT(gpu.uses, ElementsAre(matcher::CounterUse{
                            "gpu-0", {{"memory", *ReadAmount("40Gi")}}}));
  EXPECT_THAT(
      gpu.taints,
      ElementsAre(DeviceTaint{"slow", "v", DeviceTaint::Effect::kNoExecute},
                  DeviceTaint{"new", "", DeviceTaint::Effect::kNone}));
  EXPECT_TRUE(gpu.shared);
  EXPECT_TRUE(gpu.binds_to_node);
  EXPECT_THAT(gpu.binding_conditions, ElementsAre("ready"));
  EXPECT_THAT(gpu.binding_failures, ElementsAre("broken"));
  EXPECT_EQ(gpu.nodes, std::nullopt);
  EXPECT_EQ(slice.devices[1].nodes,
            (matcher::DeviceNodes{.node = "", .all = true}));
}

TEST(DeviceDecoder, DevicesThatCannotBeReadAreLeftOutWithTheReason) {
  const ResourceSlice read = DecodeResourceSlice(Json::parse(R"({
    "metadata": {"name": "s"}, "spec": {"driver": "d", "allNodes": true,
      "devices": [
        {"name": "a", "attributes": {"x": {"ints": [1, 2]}}},
        {"name": "b", "capacity": {"memory": {"value": "much"}}},
        {"name": "c", "nodeAllocatableResourceMappings": {"cpu": {}}},
        {},
        {"name": "e"}]}})"));
  EXPECT_THAT(
      read.faults,
      ElementsAre(
          "devices[0].attributes.x: only int, bool, string and version are "
          "supported",
          "devices[1].capacity.memory: \"much\" is no quantity",
          "devices[2].nodeAllocatableResourceMappings: this field is not "
          "supported",
          "devices[3].name: is missing"));
  ASSERT_THAT(read.slice.devices, SizeIs(1));
  EXPECT_EQ(read.slice.devices[0].name, "e");
  EXPECT_TRUE(read.slice.nodes.all);
}

TEST(DeviceDecoder, ReadsAClassWithItsConfiguration) {
  const DeviceClass read = DecodeDeviceClass(Json::parse(R"({
    "metadata": {"name": "gpu.example.com", "resourceVersion": "4"},
    "spec": {"extendedResourceName": "example.com/gpu",
      "selectors": [{"cel": {"expression": "true"}}],
      "config": [{"opaque": {"driver": "d", "parameters": {"a": 1}}}]}})"));
  EXPECT_EQ(read.fault, "");
  EXPECT_EQ(
      read.device_class,
      (matcher::DeviceClass{"gpu.example.com", {"true"}, "example.com/gpu"}));
  EXPECT_THAT(read.config,
              ElementsAre(R"({"opaque":{"driver":"d","parameters":{"a":1}}})"));
}

TEST(DeviceDecoder, AClassWithAnotherKindOfSelectorSelectsNothing) {
  const DeviceClass read =
      DecodeDeviceClass(Json::parse(R"({"metadata": {"name": "a"},
                      "spec": {"selectors": [{"jq": "."}]}})"));
  EXPECT_EQ(read.fault, "selectors[0]: only selectors by `cel` are supported");
  EXPECT_THAT(read.device_class.selectors, ElementsAre("false"));
}

TEST(DeviceDecoder, NamesInTheDomainOfTheDriverAreShort) {
  EXPECT_EQ(FullDeviceName("d.com", "x"), "d.com/x");
  EXPECT_EQ(FullDeviceName("d.com", "e.com/x"), "e.com/x");
  EXPECT_EQ(ShortDeviceName("d.com", "d.com/x"), "x");
  EXPECT_EQ(ShortDeviceName("d.com", "e.com/x"), "e.com/x");
}

}  // namespace
}  // namespace fluxnetes::cluster
