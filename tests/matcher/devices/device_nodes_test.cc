// Which nodes can use devices.
#include "matcher/devices/device_nodes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::matcher {
namespace {

LabelRequirement Is(const std::string& key, const std::string& value,
                    bool field = false) {
  LabelRequirement requirement;
  requirement.key = key;
  requirement.values = {value};
  requirement.field = field;
  return requirement;
}

DeviceNodes Terms(std::vector<LabelTerm> terms) {
  DeviceNodes nodes;
  nodes.terms = std::move(terms);
  return nodes;
}

TEST(DeviceNodes, AreOneNodeOrAllOrThoseOfATerm) {
  const Labels labels = {{"rack", "r1"}};
  DeviceNodes one;
  one.node = "node0";
  EXPECT_TRUE(Includes(one, "node0", labels));
  EXPECT_FALSE(Includes(one, "node1", labels));
  DeviceNodes all;
  all.all = true;
  EXPECT_TRUE(Includes(all, "node1", labels));
  EXPECT_FALSE(Includes({}, "node1", labels));
  EXPECT_TRUE(Includes(Terms({{Is("rack", "r1")}}), "node1", labels));
  EXPECT_FALSE(Includes(Terms({{Is("rack", "r2")}}), "node1", labels));
  EXPECT_FALSE(Includes(Terms({{Is("row", "r1")}}), "node1", labels));
  EXPECT_TRUE(
      Includes(Terms({{Is("rack", "r2")}, {Is("rack", "r1")}}), "n", labels));
  EXPECT_FALSE(
      Includes(Terms({{Is("rack", "r1"), Is("row", "a")}}), "n", labels));
  EXPECT_FALSE(Includes(Terms({{}}), "node1", labels));
}

TEST(DeviceNodes, ATermMayNameTheNode) {
  const auto named = Terms({{Is("metadata.name", "node1", true)}});
  EXPECT_TRUE(Includes(named, "node1", {}));
  EXPECT_FALSE(Includes(named, "node2", {{"metadata.name", "node1"}}));
  EXPECT_FALSE(Includes(Terms({{Is("metadata.uid", "node1", true)}}), "node1",
                        {{"metadata.uid", "node1"}}));
}

TEST(DeviceNodes, OfAClaimAreThoseThatCanUseAllItsDevices) {
  AllocatedDevice tied;
  tied.claim = "a";
  AllocatedDevice everywhere;
  everywhere.claim = "b";
  everywhere.nodes.emplace().all = true;
  AllocatedDevice of_rack = everywhere;
  of_rack.nodes = Terms({{Is("rack", "r1")}});
  AllocatedDevice of_row = everywhere;
  of_row.nodes = Terms({{Is("rack", "r1"), Is("row", "2")}});

  EXPECT_TRUE(NodesOf("b", std::vector{tied, everywhere}, "node0").all);
  const auto joined =
      NodesOf("b", std::vector{tied, everywhere, of_rack, of_row}, "node0");
  EXPECT_EQ(joined, Terms({{Is("rack", "r1"), Is("row", "2")}}));
  tied.claim = "b";
  DeviceNodes here;
  here.node = "node0";
  EXPECT_EQ(NodesOf("b", std::vector{of_rack, tied}, "node0"), here);
}

}  // namespace
}  // namespace fluxnetes::matcher
