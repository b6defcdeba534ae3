#include "matcher/devices/device_selector.h"

#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::matcher {
namespace {

Device GpuWithAttributes() {
  return {.name = "gpu-0",
          .attributes = {{"gpu.example.com/model", std::string("H100")},
                         {"gpu.example.com/index", std::int64_t{3}},
                         {"gpu.example.com/ecc", true},
                         {"gpu.example.com/driverVersion",
                          DeviceVersion{"550.127.5"}},
                         {"resource.kubernetes.io/pcieRoot",
                          std::string("pci0000:01")}},
          .capacity = {{"gpu.example.com/memory", *ReadAmount("80Gi")}}};
}

std::string SelectorSaid(std::string_view text,
                         const Device& device = GpuWithAttributes()) {
  try {
    const auto verdict =
        DeviceSelector(text).Evaluate("gpu.example.com", device);
    if (!verdict.error.empty()) return "error: " + verdict.error;
    return verdict.matches ? "true" : "false";
  } catch (const SelectorError& error) {
    return std::string("refused: ") + error.what();
  }
}

TEST(DeviceSelector, ReadsWhatADriverPublishes) {
  EXPECT_EQ(SelectorSaid("device.driver == 'gpu.example.com'"), "true");
  EXPECT_EQ(
      SelectorSaid("device.attributes['gpu.example.com'].model == 'H100'"),
      "true");
  EXPECT_EQ(SelectorSaid("device.attributes['gpu.example.com'].index >= 4"),
            "false");
  EXPECT_EQ(SelectorSaid("device.attributes['gpu.example.com'].ecc"), "true");
  EXPECT_EQ(SelectorSaid("device.attributes['gpu.example.com'].driverVersion"
                         ".isGreaterThan(semver('535.0.0'))"),
            "true");
  EXPECT_EQ(SelectorSaid("device.capacity['gpu.example.com'].memory"
                         ".compareTo(quantity('80Gi')) == 0"),
            "true");
  EXPECT_EQ(SelectorSaid("device.allowMultipleAllocations"), "false");
}

TEST(DeviceSelector, AnUnknownDomainIsEmptyAndAMissingNameAnError) {
  EXPECT_EQ(SelectorSaid("device.attributes['nobody'].model == 'H100'"),
            "error: there is no key 'model'");
  EXPECT_EQ(SelectorSaid("'model' in device.attributes['nobody']"), "false");
  EXPECT_EQ(SelectorSaid("'model' in device.attributes['gpu.example.com']"),
            "true");
  EXPECT_EQ(SelectorSaid("'nobody' in device.attributes"), "false");
  EXPECT_EQ(SelectorSaid("'gpu.example.com' in device.attributes"), "true");
  EXPECT_EQ(SelectorSaid("has(device.attributes['nobody'].model) || true"),
            "true");
  EXPECT_EQ(
      SelectorSaid("device.attributes['nobody'].?model.orValue('') == ''"),
      "true");
  EXPECT_EQ(
      SelectorSaid("device.attributes['gpu.example.com/model'].size() == 0"),
      "true");
}

TEST(DeviceSelector, DomainsAndNamesCanBeListed) {
  EXPECT_EQ(SelectorSaid("device.attributes.size() == 2"), "true");
  EXPECT_EQ(SelectorSaid("device.attributes.exists_one(d, "
                         "d == 'resource.kubernetes.io')"),
            "true");
  EXPECT_EQ(SelectorSaid("device.attributes['gpu.example.com'].all(n, "
                         "n in ['model', 'index', 'ecc', 'driverVersion'])"),
            "true");
}

TEST(DeviceSelector, AValueOfAnotherTypeIsAnError) {
  EXPECT_EQ(SelectorSaid("device.attributes['gpu.example.com'].model > 3"),
            "error: values of these types have no order");
  EXPECT_EQ(SelectorSaid("device.attributes['gpu.example.com'].model"),
            "error: the expression yields string instead of a bool");
  EXPECT_EQ(SelectorSaid("device.attributes['gpu.example.com'].index == 'x'"),
            "false");
}

TEST(DeviceSelector, RefusesWithThePlace) {
  EXPECT_EQ(SelectorSaid("device.model == 'H100'"),
            "refused: 1:7: kubernetes.DRADevice has no field model");
  EXPECT_EQ(SelectorSaid("device.driver ==\n  3"),
            "refused: 1:15: _==_ cannot be applied to (string, int)");
}

}  // namespace
}  // namespace fluxnetes::matcher
