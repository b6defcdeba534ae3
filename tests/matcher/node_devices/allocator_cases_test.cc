// Kubernetes' own cases for its allocator of structured parameters, and random
// ones, with what version 0.36.3 of it answers (tests/cluster_tools/allocator).
// Where it finds devices, NodeDevices gives the same ones.
// FLUXNETES_ALLOCATOR_CASES names a file with other cases.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

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

// A request for all devices that break a constraint ends the search there; here
// an alternative to it may still fit.
bool EndsAtConstraint(const KubernetesCase& of) {
  return of.error.find("a claim constraint would not be satisfied") !=
         std::string::npos;
}

struct Counts {
  int found = 0;
  int refused = 0;
};

Counts CompareAll(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  Counts counts;
  for (std::string line; std::getline(file, line);) {
    const KubernetesCase of = ReadKubernetesCase(line);
    const auto given = GivenIn(of);
    if (!EndsAtConstraint(of)) {
      EXPECT_EQ(given.has_value(), of.found) << of.name << ": " << of.error;
    }
    (of.found ? counts.found : counts.refused) += 1;
    if (!given || !of.found) continue;
    EXPECT_EQ(ToText(*given), ToText(of.devices)) << of.name;
    ExpectNodes(of, *given);
  }
  return counts;
}

std::string PathOf(const std::string& name) {
  return testing::SourcePath("tests/matcher/node_devices/" + name);
}

TEST(AllocatorCases, GetTheDevicesThatKubernetesGives) {
  const Counts counts = CompareAll(PathOf("allocator_cases.jsonl"));
  EXPECT_GT(counts.found, 100);
  EXPECT_GT(counts.refused, 50);
}

TEST(AllocatorCases, AtRandomGetTheSameDevicesToo) {
  const char* other = std::getenv("FLUXNETES_ALLOCATOR_CASES");
  const Counts counts = CompareAll(
      other != nullptr ? other : PathOf("allocator_random_cases.jsonl"));
  EXPECT_GT(counts.found, 15);
  EXPECT_GT(counts.refused, 20);
}

}  // namespace
}  // namespace fluxnetes::matcher
