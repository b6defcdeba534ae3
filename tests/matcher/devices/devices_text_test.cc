// The text of the devices that a task holds.
#include "matcher/devices/devices_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fluxnetes::matcher {
namespace {

AllocatedDevice Simple(const std::string& name) {
  AllocatedDevice device;
  device.claim = "training";
  device.request = "gpu";
  device.id = {"gpu.example.com", "node0", name};
  return device;
}

TEST(DevicesText, IsCompact) {
  EXPECT_EQ(WriteDevices({}), "");
  EXPECT_EQ(WriteDevices(std::vector{Simple("gpu0"), Simple("gpu1")}),
            R"([{"claim":"training","request":"gpu",)"
            R"("driver":"gpu.example.com","pool":"node0","device":"gpu0"},)"
            R"({"claim":"training","request":"gpu",)"
            R"("driver":"gpu.example.com","pool":"node0","device":"gpu1"}])");
}

TEST(DevicesText, KeepsAllMembers) {
  AllocatedDevice device = Simple("gpu0");
  device.shared = "ns/training";
  device.request = "gpu/large";
  device.admin_access = true;
  device.consumed["memory"] = ReadAmount("1.5").value();
  device.share = "6a1f7b12-5b1c-8e0f-9a27-0123456789ab";
  DeviceToleration any;
  any.exists = true;
  DeviceToleration one;
  one.key = "key";
  one.value = "a \"quoted\" value";
  one.effect = DeviceTaint::Effect::kNoExecute;
  device.tolerations = {any, one};
  LabelRequirement in;
  in.key = "rack";
  in.values = {"r1", "r2"};
  LabelRequirement name;
  name.key = "metadata.name";
  name.op = LabelRequirement::Op::kDoesNotExist;
  name.field = true;
  device.nodes.emplace().terms = {{in, name}, {}};
  device.binding_conditions = {"ready"};
  device.binding_failures = {"broken"};
  AllocatedDevice everywhere = Simple("gpu1");
  everywhere.nodes.emplace().all = true;
  const std::vector<AllocatedDevice> all = {device, everywhere};
  EXPECT_EQ(ReadDevices(WriteDevices(all)), all);
  EXPECT_TRUE(ReadDevices("").empty());
}

std::string FaultOf(const std::string& text) {
  try {
    ReadDevices(text);
  } catch (const DevicesError& error) {
    return error.what();
  }
  return "none";
}

TEST(DevicesText, SaysWhatIsWrong) {
  const std::string start = R"([{"claim":"c","request":"r","driver":"d",)";
  const std::string whole = start + R"("pool":"p","device":"x")";
  EXPECT_EQ(FaultOf(whole + "}]"), "none");
  EXPECT_NE(FaultOf("[").find("not JSON"), std::string::npos);
  EXPECT_EQ(FaultOf("{}"),
            "devices of a task: the text must be a list of at most 4096 "
            "devices");
  EXPECT_EQ(FaultOf("[1]"), "devices of a task: device 0 must be an object");
  EXPECT_EQ(FaultOf(start + R"("pool":"p"}])"),
            "devices of a task: device 0 needs \"device\"");
  EXPECT_EQ(FaultOf(start + R"("pool":"","device":"x"}])"),
            "devices of a task: device 0 \"pool\" must not be empty");
  EXPECT_EQ(FaultOf(whole + R"(,"admin":1}])"),
            "devices of a task: device 0 \"admin\" must be true or false");
  EXPECT_EQ(FaultOf(whole + R"(,"more":1}])"),
            "devices of a task: device 0 has a member that is not known, or "
            "one that does not belong there");
  EXPECT_EQ(FaultOf(whole + R"(,"all":true,"terms":[]}])"),
            "devices of a task: device 0 has a member that is not known, or "
            "one that does not belong there");
  EXPECT_EQ(FaultOf(whole + R"(,"consumed":{"m":"much"}}])"),
            "devices of a task: device 0 \"consumed\" has no amount of m");
  EXPECT_EQ(FaultOf(whole + R"(,"tolerations":[{"effect":"Never"}]}])"),
            "devices of a task: device 0, \"tolerations\" \"effect\" has the "
            "unknown value \"Never\"");
  EXPECT_EQ(FaultOf("[[[[[[[[[[1]]]]]]]]]]"),
            "devices of a task: the JSON is too deep");
  EXPECT_EQ(FaultOf(std::string(kMaxDevicesBytes + 1, ' ')),
            "devices of a task: the text is longer than 1048576 bytes");
}

}  // namespace
}  // namespace fluxnetes::matcher
