#include "cluster/files/resource_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns what is wrong with one container's resources.
std::string WhyResources(const std::string& resources) {
  const Json spec = {{"containers", {{{"resources", Json::parse(resources)}}}}};
  return WhatIsWrongWithResources(spec, "spec").value_or("right");
}

std::string WhyLimit(const std::string& name, const std::string& amount) {
  return WhyResources(R"({"limits": {"cpu": 1, ")" + name + "\": " + amount +
                      "}}");
}

TEST(ResourceCheck, ExtendedResourcesAreWhole) {
  EXPECT_EQ(WhyLimit("nvidia.com/gpu", "1"), "right");
  EXPECT_EQ(WhyLimit("nvidia.com/gpu", "\"2k\""), "right");
  EXPECT_EQ(WhyLimit("nvidia.com/gpu", "0"), "right");
  EXPECT_EQ(WhyLimit("nvidia.com/gpu", "0.5"),
            "spec.containers[0].resources.limits[\"nvidia.com/gpu\"] is 0.5; "
            "it must be a whole number, because nvidia.com/gpu cannot be "
            "divided");
  EXPECT_THAT(WhyLimit("nvidia.com/gpu", "\"500m\""), HasSubstr("is 500m; it"));
  EXPECT_THAT(WhyLimit("nvidia.com/gpu", "1.0000001"), HasSubstr("whole"));
}

TEST(ResourceCheck, NamesAreThoseOfContainers) {
  EXPECT_EQ(WhyLimit("memory", "0.5"), "right");
  EXPECT_EQ(WhyLimit("ephemeral-storage", "\"1Gi\""), "right");
  EXPECT_EQ(WhyLimit("x.kubernetes.io/thing", "0.5"), "right");
  for (const char* const name : {"pods", "gpu", "storage"}) {
    EXPECT_THAT(WhyLimit(name, "1"), HasSubstr("like nvidia.com/gpu")) << name;
  }
  EXPECT_THAT(WhyLimit("requests.a.com/b", "1"), HasSubstr("only a quota"));
  EXPECT_THAT(WhyLimit(std::string(250, 'a') + "/b", "1"),
              HasSubstr("its domain is too long"));
}

TEST(ResourceCheck, HugePagesAreMultiplesBesideCpuOrMemory) {
  EXPECT_EQ(WhyLimit("hugepages-2Mi", "\"4Mi\""), "right");
  EXPECT_THAT(WhyLimit("hugepages-2Mi", "\"3Mi\""),
              HasSubstr("is 3Mi; it must be a multiple of 2Mi"));
  EXPECT_THAT(WhyLimit("hugepages-2Mi", "1"), HasSubstr("a multiple of 2Mi"));
  EXPECT_THAT(WhyLimit("hugepages-big", "1"), HasSubstr("needs a size"));
  EXPECT_EQ(WhyResources(R"({"limits": {"hugepages-2Mi": "2Mi"}})"),
            "spec.containers[0].resources has huge pages alone; they need cpu "
            "or memory beside them");
}

TEST(ResourceCheck, OnlyNativeResourcesMayExceedTheirRequest) {
  EXPECT_EQ(WhyResources(R"({"requests": {"cpu": 1}, "limits": {"cpu": 2}})"),
            "right");
  EXPECT_THAT(WhyResources(R"({"requests": {"cpu": 3}, "limits": {"cpu": 2}})"),
              HasSubstr("requests[\"cpu\"] is more than the limit"));
  EXPECT_EQ(
      WhyResources(R"({"requests": {"a.b/c": 1}, "limits": {"a.b/c": 1}})"),
      "right");
  EXPECT_THAT(
      WhyResources(R"({"requests": {"a.b/c": 1}, "limits": {"a.b/c": 2}})"),
      HasSubstr("is not the limit; both must be the same"));
  EXPECT_THAT(WhyResources(R"({"requests": {"a.b/c": 1}})"),
              HasSubstr("has no limit; write the same amount under limits"));
}

TEST(ResourceCheck, WholePodHasCpuMemoryAndHugePages) {
  const auto why = [](const char* name) {
    return WhatIsWrongWithResources({{"resources", {{"limits", {{name, 1}}}}}},
                                    "spec")
        .value_or("right");
  };
  EXPECT_EQ(why("memory"), "right");
  EXPECT_THAT(why("ephemeral-storage"),
              StartsWith("spec.resources.limits[\"ephemeral-storage\"]"));
}

TEST(ResourceCheck, NodesOfferWholeThings) {
  const auto why = [](const char* name, const Json& amount) {
    return WhatIsWrongWithOffer({{name, amount}}, "status.capacity")
        .value_or("right");
  };
  EXPECT_EQ(why("cpu", "1500m"), "right");
  EXPECT_EQ(why("nvidia.com/gpu", 4), "right");
  EXPECT_THAT(why("nvidia.com/gpu", "1500m"),
              StartsWith("status.capacity[\"nvidia.com/gpu\"] is 1500m"));
  EXPECT_THAT(why("pods", 1.5), HasSubstr("a whole number"));
}

}  // namespace
}  // namespace fluxnetes::cluster
