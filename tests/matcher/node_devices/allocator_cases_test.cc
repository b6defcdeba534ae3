// Kubernetes' own cases for its allocator of structured parameters, in
// allocator_cases.jsonl, with what version 0.36.3 of it answers. Where it finds
// devices, NodeDevices gives the same ones.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "kubernetes_case.h"
#include "matcher/devices/device_nodes.h"
#include "tests/support/places.h"

namespace fluxnetes::matcher {
namespace {

// The claim asks for its nodes as Kubernetes writes them.
void ExpectNodes(const KubernetesCase& of,
                 const std::vector<AllocatedDevice>& given) {
  for (std::size_t claim = 0; claim < of.nodes.size(); ++claim) {
    DeviceNodes nodes =
        NodesOf("claim" + std::to_string(claim), given, of.node);
    if (!nodes.node.empty()) {
      LabelRequirement name;
      name.key = "metadata.name";
      name.values = {nodes.node};
      name.field = true;
      nodes = {};
      nodes.terms = {{name}};
    }
    EXPECT_EQ(nodes, of.nodes[claim]) << of.name;
  }
}

TEST(AllocatorCases, GetTheDevicesThatKubernetesGives) {
  std::ifstream file(
      testing::SourcePath("tests/matcher/node_devices/allocator_cases.jsonl"));
  ASSERT_TRUE(file);
  int found = 0;
  int refused = 0;
  for (std::string line; std::getline(file, line);) {
    const KubernetesCase of = ReadKubernetesCase(line);
    const auto given = GivenIn(of);
    EXPECT_EQ(given.has_value(), of.found) << of.name << ": " << of.error;
    (of.found ? found : refused) += 1;
    if (!given || !of.found) continue;
    EXPECT_EQ(ToText(*given), ToText(of.devices)) << of.name;
    ExpectNodes(of, *given);
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace fluxnetes::matcher
