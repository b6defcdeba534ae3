// The examples of docs/jobspecs.md: each is simulated as a Job, and matched as
// a jobspec.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <variant>

#include "cluster/files/manifest.h"
#include "cluster/files/node_file.h"
#include "tests/support/places.h"
#include "workers/simulation/jobspec_match.h"
#include "workers/simulation/manifest_scenario.h"

namespace fluxnetes::workers {
namespace {

std::string ReadExample(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(
              testing::SourcePath("docs/examples/jobspecs/" + name + ".yaml"))
              .rdbuf();
  return text.str();
}

Scenario ExampleNodes() {
  Scenario scenario;
  scenario.begin = 1'000;
  scenario.nodes = cluster::ReadNodes(ReadExample("nodes"), "nodes");
  scenario.queues = {{}};
  return scenario;
}

struct Example {
  const char* name;
  int pods;
  int nodes;  // 0: whatever number
  int racks;  // 0: whatever number
  bool inside;
};

class JobspecExamples : public ::testing::TestWithParam<Example> {};

// The pods of all groups that are placed at the beginning.
std::vector<PlacedMember> PlacedAtOnce(const Scenario& scenario) {
  std::vector<PlacedMember> members;
  SimulationOptions options;
  options.until = scenario.begin;
  options.decided = [&](const Decision& decision) {
    for (const Placed& placed : decision.placed)
      members.insert(members.end(), placed.members.begin(),
                     placed.members.end());
    return true;
  };
  Simulate(scenario, options);
  return members;
}

TEST_P(JobspecExamples, IsPlacedAsItSays) {
  const Example& example = GetParam();
  Scenario scenario = ExampleNodes();
  std::map<std::string, std::string> rack_of;
  for (const cluster::Node& node : scenario.nodes)
    rack_of[node.name] = node.labels.at("topology.kubernetes.io/rack");
  ManifestScenario manifests(scenario, {}, scenario.begin);
  for (cluster::Manifest& manifest :
       cluster::ReadManifests(ReadExample(example.name), example.name))
    manifests.Add(std::move(manifest));
  manifests.Finish();
  EXPECT_TRUE(manifests.notes().empty()) << manifests.notes().front();
  ASSERT_EQ(scenario.groups.size(), 1U);
  std::set<std::string> nodes;
  std::set<std::string> racks;
  const auto members = PlacedAtOnce(scenario);
  for (const PlacedMember& member : members) {
    nodes.insert(member.node);
    racks.insert(rack_of[member.node]);
    EXPECT_EQ(!member.parts.empty(), example.inside) << member.parts;
  }
  EXPECT_EQ(std::ssize(members), example.pods);
  EXPECT_TRUE(example.nodes == 0 || std::ssize(nodes) == example.nodes);
  EXPECT_TRUE(example.racks == 0 || std::ssize(racks) == example.racks);
}

TEST_P(JobspecExamples, IsMatchedAsItsPods) {
  const Example& example = GetParam();
  const auto manifests =
      cluster::ReadManifests(ReadExample(example.name), example.name);
  const auto& job = std::get<cluster::KubernetesJob>(manifests.at(0).object);
  const JobspecMatch match = MatchJobspec(
      ExampleNodes(),
      {.text = job.pod_template.pod.annotations.at(kJobspecAnnotation),
       .pods = example.pods},
      [] { return true; });
  EXPECT_EQ(match.refused, "");
  EXPECT_EQ(match.state, JobspecMatch::State::kNow);
  EXPECT_EQ(std::ssize(match.pods), example.pods);
}

INSTANTIATE_TEST_SUITE_P(
    Ten, JobspecExamples,
    ::testing::Values(Example{"01-amounts", 4, 0, 0, false},
                      Example{"02-whole-nodes", 4, 4, 0, false},
                      Example{"03-per-node", 8, 2, 0, false},
                      Example{"04-exclusive-nodes", 4, 2, 0, false},
                      Example{"05-one-rack", 2, 2, 1, false},
                      Example{"06-racks-and-sockets", 8, 4, 2, true},
                      Example{"07-gpus-of-an-island", 2, 0, 1, true},
                      Example{"08-alternatives", 2, 0, 0, true},
                      Example{"09-range", 6, 3, 0, false},
                      Example{"10-constraint", 1, 1, 1, false}),
    [](const auto& param) {
      return "Number" + std::string(param.param.name).substr(0, 2);
    });

}  // namespace
}  // namespace fluxnetes::workers
