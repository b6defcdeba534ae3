// Which devices are of one kind.
#include "matcher/devices/device_kinds.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fluxnetes::matcher {
namespace {

using Verdict = DeviceKinds::Verdict;

const std::vector<std::string> kIsLarge = {
    R"(device.attributes["a.example"].size == "large")"};

Device Sized(const std::string& size, const std::string& uuid) {
  Device device;
  device.name = "device-" + uuid;
  device.attributes["a.example/size"] = size;
  device.attributes["a.example/uuid"] = uuid;
  return device;
}

TEST(DeviceKinds, WhatNoProbeReadsMakesNoDifference) {
  DeviceKinds kinds;
  const ContentId a = kinds.TakeContent("a.example", Sized("large", "1"));
  const ContentId b = kinds.TakeContent("a.example", Sized("small", "2"));
  const ContentId c = kinds.TakeContent("a.example", Sized("large", "3"));
  EXPECT_EQ(kinds.kind(a), kinds.kind(b));
  const auto epoch = kinds.epoch();
  const ProbeId large = kinds.TakeProbe(kIsLarge);
  EXPECT_GT(kinds.epoch(), epoch);
  EXPECT_NE(kinds.kind(a), kinds.kind(b));
  EXPECT_EQ(kinds.kind(a), kinds.kind(c));
  EXPECT_EQ(kinds.verdict(kinds.kind(a), large), Verdict::kYes);
  EXPECT_EQ(kinds.verdict(kinds.kind(b), large), Verdict::kNo);
  const ContentId d = kinds.TakeContent("a.example", Sized("small", "4"));
  EXPECT_EQ(kinds.kind(d), kinds.kind(b));
}

TEST(DeviceKinds, AProbeThatDividesNothingLeavesTheEpoch) {
  DeviceKinds kinds;
  const ContentId a = kinds.TakeContent("a.example", Sized("large", "1"));
  kinds.TakeContent("a.example", Sized("large", "2"));
  const auto epoch = kinds.epoch();
  const ProbeId large = kinds.TakeProbe(kIsLarge);
  EXPECT_EQ(kinds.epoch(), epoch);
  EXPECT_EQ(kinds.verdict(kinds.kind(a), large), Verdict::kYes);
  EXPECT_EQ(kinds.TakeProbe(kIsLarge), large);
}

TEST(DeviceKinds, NamesDoNotCountButTaintsDo) {
  DeviceKinds kinds;
  Device device = Sized("large", "1");
  const ContentId a = kinds.TakeContent("a.example", device);
  device.name = "other";
  EXPECT_EQ(kinds.TakeContent("a.example", device), a);
  device.taints = {{"key", "", DeviceTaint::Effect::kNoSchedule}};
  const ContentId b = kinds.TakeContent("a.example", device);
  EXPECT_NE(b, a);
  EXPECT_NE(kinds.kind(b), kinds.kind(a));
}

TEST(DeviceKinds, SaysWhichSelectorIsTheReason) {
  DeviceKinds kinds;
  const ContentId a = kinds.TakeContent("a.example", Sized("large", "1"));
  const ProbeId probe =
      kinds.TakeProbe({R"(device.driver == "a.example")",
                       R"(device.attributes["a.example"].weight == 3)"});
  EXPECT_EQ(kinds.verdict(kinds.kind(a), probe), Verdict::kError);
  EXPECT_EQ(kinds.ReasonOf(a, probe).selector, 1);
  EXPECT_FALSE(kinds.ReasonOf(a, probe).error.empty());
  const ProbeId other =
      kinds.TakeProbe({R"(device.driver == "b.example")",
                       R"(device.attributes["a.example"].weight == 3)"});
  EXPECT_EQ(kinds.verdict(kinds.kind(a), other), Verdict::kNo);
  EXPECT_EQ(kinds.ReasonOf(a, other).selector, 0);
  EXPECT_TRUE(kinds.ReasonOf(a, other).error.empty());
}

TEST(DeviceKinds, NumbersTheValuesOfAnAttribute) {
  DeviceKinds kinds;
  const ContentId a = kinds.TakeContent("a.example", Sized("large", "1"));
  const AttributeId size = kinds.TakeAttribute("a.example/size");
  const ContentId b = kinds.TakeContent("a.example", Sized("small", "2"));
  const ContentId c = kinds.TakeContent("a.example", Sized("large", "3"));
  EXPECT_EQ(kinds.value(a, size), kinds.value(c, size));
  EXPECT_NE(kinds.value(a, size), kinds.value(b, size));
  EXPECT_EQ(kinds.value(a, kinds.TakeAttribute("a.example/no")), kNone);
  EXPECT_EQ(kinds.TakeAttribute("a.example/size"), size);
}

TEST(DeviceKinds, ForgetsProbesThatAreLongGivenBack) {
  DeviceKinds kinds;
  const ContentId a = kinds.TakeContent("a.example", Sized("large", "0"));
  const ContentId b = kinds.TakeContent("a.example", Sized("small", "300"));
  const ProbeId kept = kinds.TakeProbe(kIsLarge);
  for (int i = 0; i < 300; ++i) {
    kinds.GiveProbe(
        kinds.TakeProbe({R"(device.attributes["a.example"].uuid == ")" +
                         std::to_string(i) + "\""}));
  }
  EXPECT_GT(kinds.forgets(), 0U);
  EXPECT_EQ(kinds.verdict(kinds.kind(a), kept), Verdict::kYes);
  EXPECT_EQ(kinds.verdict(kinds.kind(b), kept), Verdict::kNo);
}

TEST(DeviceKinds, AContentGoesWithItsLastUse) {
  DeviceKinds kinds;
  const ContentId a = kinds.TakeContent("a.example", Sized("large", "1"));
  kinds.TakeContent("a.example", Sized("large", "1"));
  kinds.GiveContent(a);
  EXPECT_TRUE(kinds.Knows(a));
  kinds.GiveContent(a);
  EXPECT_FALSE(kinds.Knows(a));
  const ProbeId large = kinds.TakeProbe(kIsLarge);
  const ContentId b = kinds.TakeContent("a.example", Sized("small", "2"));
  EXPECT_EQ(kinds.verdict(kinds.kind(b), large), Verdict::kNo);
}

}  // namespace
}  // namespace fluxnetes::matcher
