#include "matcher/readers/hwloc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMachine = R"(<topology>
  <object type="Machine"><info name="HostName" value="host12"/>
    <object type="Package">
      <object type="Bridge"><object type="PCIDev">
        <object type="OSDev" name="eth0" osdev_type="2"/>
        <object type="OSDev" name="cuda1" osdev_type="5"/>
        <object type="OSDev" name="sda" osdev_type="0">
          <info name="Size" value="2500000"/>
          <info name="LinuxDeviceID" value="8:0"/></object>
      </object></object>
      <object type="L2Cache" cache_size="1048576">
        <object type="Core"><object type="PU"/><object type="PU"/></object>
      </object>
    </object>
    <object type="Package"><object type="Core"/></object>
  </object></topology>)";

TEST(Hwloc, MachineIsANodeWithWhatItContains) {
  const ResourceGraph graph = ReadHwloc(kMachine, {});
  const VertexIndex node = *graph.Find("/cluster0/host12");
  EXPECT_EQ(graph.id(node), 12);
  EXPECT_EQ(graph.rank(node), 0);
  EXPECT_EQ(graph.Basename(node), "host");
  EXPECT_TRUE(graph.Find("/cluster0/host12/socket0/L2cache0/core0/pu1"));
  EXPECT_TRUE(graph.Find("/cluster0/host12/socket1/core1"));
  const VertexIndex disk = *graph.Find("/cluster0/host12/socket0/storage2");
  EXPECT_EQ(graph.units(disk), 2);
  EXPECT_EQ(graph.PropertiesOf(disk)->at("LinuxDeviceID"), "8:0");
  EXPECT_TRUE(graph.Find("/cluster0/host12/socket0/gpu1"));
}

TEST(Hwloc, WhatIsNotWantedIsLeftOut) {
  const ResourceGraph graph = ReadHwloc(kMachine, {"node", "core"});
  EXPECT_EQ(graph.size(), 1 + 1 + 2);
  EXPECT_TRUE(graph.Find("/cluster0/host12/core0"));
}

TEST(Hwloc, OtherTextsAreRefused) {
  const auto error = [](std::string_view text) -> std::string {
    try {
      ReadHwloc(text, {});
    } catch (const GraphError& caught) {
      return caught.what();
    }
    return "none";
  };
  EXPECT_THAT(error("<topology>\n<"), HasSubstr("line 2"));
  EXPECT_THAT(error("<topology/>"), HasSubstr("no <topology>"));
  std::string deep = "<topology>";
  for (int i = 0; i < 1000; ++i) deep += "<object type=\"Group\">";
  for (int i = 0; i < 1000; ++i) deep += "</object>";
  EXPECT_THAT(error(deep + "</topology>"), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace fluxnetes::matcher
