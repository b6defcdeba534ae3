#include "workers/simulation/jobspec_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace fluxnetes::workers {
namespace {

using MatchState = JobspecMatch::State;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::int64_t kBegin = 1'000;

// Two racks of two nodes with two sockets of eight cores and two GPUs each.
Scenario TwoRacks() {
  Scenario scenario;
  scenario.begin = kBegin;
  scenario.queues = {{}};
  for (int i = 0; i < 4; ++i) {
    cluster::Node node;
    node.name = "node" + std::to_string(i);
    node.allocatable.cpu_milli = 16'000;
    node.allocatable.memory_bytes = std::int64_t{64} << 30;
    node.allocatable.pods = 110;
    node.allocatable.SetExtended("nvidia.com/gpu", 2);
    node.labels["topology.kubernetes.io/rack"] = i < 2 ? "r0" : "r1";
    node.structure.Own() = "sockets: 2, cores: 16, gpus: 2";
    scenario.nodes.push_back(node);
  }
  return scenario;
}

// Lets a group have the nodes from now on, for so long.
void Occupy(Scenario& scenario, const std::vector<std::string>& nodes,
            std::optional<std::int64_t> runs) {
  Scenario::Request request;
  request.request.resources.cpu_milli = 16'000;
  request.request.resources.pods = 1;
  scenario.requests.push_back(request);
  scenario.shapes.push_back({{static_cast<int>(scenario.requests.size()) - 1,
                              static_cast<int>(nodes.size())}});
  scenario.users = {"other"};
  Scenario::Group group;
  group.name = "other/runs";
  group.submit = kBegin - 10;
  group.duration = group.runs = runs;
  group.shape = static_cast<int>(scenario.shapes.size()) - 1;
  scenario.groups.push_back(group);
  scenario.running.push_back({0, kBegin, nodes, true, {}});
}

std::string Spec(const std::string& resources,
                 const std::string& attributes = "") {
  return "version: 1\nresources: [" + resources +
         "]\ntasks: []\nattributes: {" + attributes + "}\n";
}

JobspecMatch Match(const Scenario& scenario, const std::string& text) {
  return MatchJobspec(scenario, {.text = text}, [] { return true; });
}

std::set<std::string> NodesOf(const JobspecMatch& match) {
  std::set<std::string> nodes;
  for (const JobspecMatch::Pod& pod : match.pods) nodes.insert(pod.node);
  return nodes;
}

const std::string kNodeOfCores =
    "{type: node, count: 2, with: [{type: slot, label: default, count: 2, "
    "with: [{type: core, count: 8}]}]}";

TEST(JobspecMatch, FitsNowWhereThereIsRoom) {
  const JobspecMatch match = Match(
      TwoRacks(), Spec("{type: rack, count: 1, with: [" + kNodeOfCores + "]}"));
  EXPECT_EQ(match.refused, "");
  EXPECT_EQ(match.state, MatchState::kNow);
  EXPECT_EQ(match.start, kBegin);
  EXPECT_EQ(match.pods.size(), 4U);
  EXPECT_THAT(NodesOf(match), UnorderedElementsAre("node0", "node1"));
}

TEST(JobspecMatch, IsReservedAtTheEndOfWhatRuns) {
  Scenario scenario = TwoRacks();
  Occupy(scenario, {"node0", "node2"}, 300);
  const JobspecMatch match = Match(
      scenario, Spec("{type: rack, count: 1, with: [" + kNodeOfCores + "]}"));
  EXPECT_EQ(match.state, MatchState::kReserved);
  EXPECT_EQ(match.start, kBegin + 300);
  EXPECT_EQ(match.pods.size(), 4U);
}

TEST(JobspecMatch, WaitsForWhatHasNoEnd) {
  Scenario scenario = TwoRacks();
  Occupy(scenario, {"node0", "node2"}, std::nullopt);
  EXPECT_EQ(Match(scenario,
                  Spec("{type: rack, count: 1, with: [" + kNodeOfCores + "]}"))
                .state,
            MatchState::kWaits);
}

TEST(JobspecMatch, NeverFitsWhatNoNodeHas) {
  EXPECT_EQ(Match(TwoRacks(), Spec("{type: slot, label: default, count: 1, "
                                   "with: [{type: core, count: 17}]}"))
                .state,
            MatchState::kNever);
  EXPECT_EQ(Match(TwoRacks(), Spec("{type: slot, label: default, count: 1, "
                                   "with: [{type: socket, count: 1, with: "
                                   "[{type: core, count: 9}]}]}"))
                .state,
            MatchState::kNever);
}

TEST(JobspecMatch, SaysWhatEachPodHasInsideOfItsNode) {
  const JobspecMatch match =
      Match(TwoRacks(),
            Spec("{type: node, count: 1, with: [{type: socket, count: 2, with: "
                 "[{type: slot, label: default, count: 1, with: [{type: core, "
                 "count: 8}, {type: gpu, count: 1}]}]}]}"));
  EXPECT_EQ(match.state, MatchState::kNow);
  ASSERT_EQ(match.pods.size(), 2U);
  EXPECT_NE(match.pods[0].parts, match.pods[1].parts);
  for (const JobspecMatch::Pod& pod : match.pods) {
    EXPECT_THAT(pod.parts, HasSubstr("socket"));
    EXPECT_THAT(pod.resource_set, HasSubstr("\"version\""));
  }
}

TEST(JobspecMatch, TakesTheAlternativeThatStartsFirst) {
  Scenario scenario = TwoRacks();
  Occupy(scenario, {"node0", "node1", "node2"}, 300);
  const std::string text = Spec(
      "{type: xor_slot, label: wide, count: 2, with: [{type: core, count: "
      "16}]}, {type: xor_slot, label: narrow, count: 4, with: [{type: "
      "core, count: 4}]}");
  const JobspecMatch match = Match(scenario, text);
  EXPECT_EQ(match.state, MatchState::kNow);
  EXPECT_EQ(match.jobspec.pods, 4);
  EXPECT_EQ(Match(TwoRacks(), text).jobspec.pods, 2);
}

TEST(JobspecMatch, KeepsToConstraintsAndDuration) {
  const JobspecMatch match = Match(
      TwoRacks(), Spec("{type: slot, label: default, count: 1, with: [{type: "
                       "core, count: 1}]}",
                       "system: {duration: 5, constraints: {hostlist: "
                       "[\"node3\"]}}"));
  EXPECT_THAT(NodesOf(match), UnorderedElementsAre("node3"));
  EXPECT_EQ(match.jobspec.duration, std::chrono::seconds(5));
}

TEST(JobspecMatch, UnknownQueueAndWrongJobspecAreRefused) {
  EXPECT_EQ(Match(TwoRacks(), Spec("{type: slot, label: default, count: 1, "
                                   "with: [{type: core, count: 1}]}",
                                   "system: {queue: debug}"))
                .refused,
            "there is no queue \"debug\"");
  EXPECT_EQ(Match(TwoRacks(), "version: 1").refused,
            "line 1: the jobspec: has no \"resources\", which is required");
}

}  // namespace
}  // namespace fluxnetes::workers
