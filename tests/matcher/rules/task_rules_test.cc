#include "matcher/rules/task_rules.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"
#include "tests/matcher/random/node_picture.h"

namespace fluxnetes::matcher {
namespace {

using Op = LabelRequirement::Op;

// Four nodes, two in each of the zones a and b.
NodeGraph TwoZones() {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4
      node2 cpu=4
      node3 cpu=4)");
  for (NodeIndex node = 0; node < 4; ++node) {
    graph.SetLabels(node, {{"zone", node < 2 ? "a" : "b"},
                           {"host", graph.Name(node)},
                           {"cores", std::to_string(node)}});
  }
  return graph;
}

TaskRules Web() {
  TaskRules rules;
  rules.namespace_name = "shop";
  rules.labels = {{"app", "web"}};
  return rules;
}

AffinityTerm NearWeb(const std::string& key) {
  return {{{{"app", Op::kIn, {"web"}, false}}, {"shop"}}, key};
}

std::string Place(NodeGraph& graph, JobId job, const TaskRules& rules,
                  const char* tasks) {
  Gang gang = Tasks(tasks);
  for (TaskGroup& group : gang.groups) group.rules = graph.TakeRules(rules);
  return Show(graph, graph.Allocate(job, gang, Policy::kLonode, 0));
}

TEST(TaskRules, NodeAffinityTakesOneOfItsTermsAndAllOfASelector) {
  NodeGraph graph = TwoZones();
  TaskRules rules;
  rules.node.selector = {{"zone", "b"}};
  rules.node.affinity = {{{"cores", Op::kGt, {"2"}, false}},
                         {{"cores", Op::kLt, {"1"}, false}}};
  EXPECT_EQ(Place(graph, 1, rules, "1x cpu=1"), "node3");
  graph.SetLabels(3, {{"zone", "a"}, {"cores", "3"}});
  EXPECT_EQ(Place(graph, 2, rules, "1x cpu=1"), "never");
}

TEST(TaskRules, TaintKeepsAwayWhoDoesNotTolerateIt) {
  NodeGraph graph = TwoZones();
  for (NodeIndex node = 0; node < 3; ++node) {
    graph.SetLabels(node, {}, {{"gpu", "yes", TaintEffect::kNoSchedule}});
  }
  TaskRules rules;
  EXPECT_EQ(Place(graph, 1, rules, "1x cpu=1"), "node3");
  rules.node.tolerations = {{"gpu", false, "yes", std::nullopt}};
  EXPECT_EQ(Place(graph, 2, rules, "1x cpu=1"), "node0");
}

TEST(TaskRules, PointsComeBeforeTheOrderOfThePolicy) {
  NodeGraph graph = TwoZones();
  TaskRules rules;
  rules.node.preferred = {{10, {{"zone", Op::kIn, {"b"}, false}}}};
  EXPECT_EQ(Place(graph, 1, rules, "5x cpu=2"),
            "node2 node2 node3 node3 node0");
}

TEST(TaskRules, AntiAffinityHoldsAmongSiblingsAndAgainstWhoCameBefore) {
  NodeGraph graph = TwoZones();
  TaskRules apart = Web();
  apart.anti_affinity = {NearWeb("host")};
  EXPECT_EQ(Place(graph, 1, apart, "3x cpu=1"), "node0 node1 node2");
  // These tasks have no anti-affinity, but those of job 1 keep them away.
  EXPECT_EQ(Place(graph, 2, Web(), "2x cpu=1"), "node3 node3");
  EXPECT_EQ(Place(graph, 3, apart, "1x cpu=1"), "not now");
  graph.Cancel(1);
  EXPECT_EQ(Place(graph, 3, apart, "1x cpu=1"), "node0");
}

TEST(TaskRules, SeriesThatStaysTogetherTakesTheZoneThatHoldsIt) {
  NodeGraph graph = TwoZones();
  graph.SetUnmanaged(0, std::vector<std::int64_t>{3});
  TaskRules together = Web();
  together.affinity = {NearWeb("zone")};
  EXPECT_EQ(Place(graph, 1, together, "7x cpu=1"),
            "node2 node2 node2 node2 node3 node3 node3");
  EXPECT_EQ(Place(graph, 2, together, "1x cpu=1"), "node3");
  EXPECT_EQ(Place(graph, 3, together, "1x cpu=1"), "not now");
}

TEST(TaskRules, SpreadGoesToTheDomainWithTheFewest) {
  NodeGraph graph = TwoZones();
  TaskRules spread = Web();
  spread.spread = {{"zone", {{"app", Op::kIn, {"web"}, false}}}};
  EXPECT_EQ(Place(graph, 1, spread, "3x cpu=1"), "node0 node2 node0");
  EXPECT_EQ(Place(graph, 2, spread, "2x cpu=1"), "node2 node0");
}

TEST(TaskRules, HostPortIsTakenOncePerNode) {
  NodeGraph graph = TwoZones();
  TaskRules rules;
  rules.host_ports = {{"TCP", "10.0.0.1", 80}};
  EXPECT_EQ(Place(graph, 1, rules, "2x cpu=1"), "node0 node1");
  rules.host_ports = {{"TCP", "", 80}};
  EXPECT_EQ(Place(graph, 2, rules, "1x cpu=1"), "node2");
  rules.host_ports = {{"UDP", "", 80}};
  EXPECT_EQ(Place(graph, 3, rules, "1x cpu=1"), "node0");
}

TEST(TaskRules, GangTakesTheTightestZoneThatHoldsIt) {
  NodeGraph graph = TwoZones();
  graph.SetUnmanaged(2, std::vector<std::int64_t>{2});
  Gang gang = Tasks("3x cpu=2");
  gang.together = {"zone"};
  gang.together_required = true;
  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)),
            "node2 node3 node3");
  EXPECT_EQ(Show(graph, graph.Allocate(2, gang, Policy::kLonode, 0)),
            "node0 node0 node1");
  EXPECT_EQ(Show(graph, graph.Allocate(3, gang, Policy::kLonode, 0)),
            "not now");
}

TEST(TaskRules, GangGoesToTheZoneOfTheTasksThatItIsToBeBeside) {
  NodeGraph graph = TwoZones();
  Gang gang = Tasks("2x cpu=2");
  gang.together = {"zone"};
  gang.together_required = true;
  gang.beside = {3};
  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)),
            "node2 node2");
  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)),
            "node3 node3");
  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)),
            "not now");
  const Explanation why = graph.Explain(gang, Policy::kLonode, 0);
  EXPECT_EQ(why.fit, 0);
  EXPECT_EQ(why.groups.at(0).exclusions.at(0).obstacle, Obstacle::kTogether);
  EXPECT_EQ(why.groups.at(0).exclusions.at(0).first, 2);
  gang.together_required = false;
  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)),
            "node0 node0");
}

TEST(TaskRules, GangInARackOfTwoZonesStaysInOneIfThatIsRequired) {
  NodeGraph graph = TwoZones();
  for (const NodeIndex node : {0, 1, 2, 3}) {
    graph.SetLabels(node, {{"zone", node < 2 ? "a" : "b"},
                           {"rack", node == 0 ? "r0" : "r1"}});
  }
  Gang gang = Tasks("3x cpu=2");
  gang.together = {"rack", "zone"};
  gang.together_required = true;
  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)),
            "node2 node2 node3");
  // The rack has three places left, two of them in one zone.
  EXPECT_EQ(Show(graph, graph.Allocate(2, gang, Policy::kLonode, 0)),
            "node0 node0 node1");
  EXPECT_EQ(
      Show(graph, graph.Allocate(3, Tasks("2x cpu=2"), Policy::kLonode, 0)),
      "node1 node3");
}

TEST(TaskRules, GangBesideTasksOnNodesWithoutAZoneCanNeverBeTogether) {
  NodeGraph graph = TwoZones();
  const NodeIndex bare = graph.AddNode("bare", 9, std::vector<std::int64_t>{4});
  Gang gang = Tasks("1x cpu=2");
  gang.together = {"zone"};
  gang.together_required = true;
  gang.beside = {bare};
  EXPECT_EQ(Show(graph, graph.Allocate(1, gang, Policy::kLonode, 0)), "never");
  gang.beside = {99};
  EXPECT_THROW(graph.Allocate(1, gang, Policy::kLonode, 0),
               std::invalid_argument);
}

TEST(TaskRules, ExplanationSaysWhatExcludesHowManyNodes) {
  NodeGraph graph = TwoZones();
  graph.SetOpen(0, false);
  graph.Allocate(1, Tasks("1x cpu=3 for 60"), Policy::kLonode, 0);  // on node1
  TaskRules rules;
  rules.node.selector = {{"zone", "a"}};
  Gang gang = Tasks("2x cpu=2");
  gang.groups[0].rules = graph.TakeRules(rules);

  const Explanation why = graph.Explain(gang, Policy::kLonode, 0);
  EXPECT_EQ(why.fit, 0);
  const auto& exclusions = why.groups.at(0).exclusions;
  ASSERT_EQ(exclusions.size(), 3U);
  EXPECT_EQ(exclusions[0].obstacle, Obstacle::kClosed);
  EXPECT_EQ(exclusions[1].obstacle, Obstacle::kLabels);
  EXPECT_EQ(exclusions[1].alone, 2);
  EXPECT_EQ(exclusions[2].obstacle, Obstacle::kResource);
  EXPECT_EQ(exclusions[2].alone, 1);
}

TEST(TaskRules, ImpossibleOrUnknownRulesAreRefused) {
  NodeGraph graph = TwoZones();
  TaskRules rules;
  rules.spread = {{"zone", {}, 0}};
  EXPECT_THROW(graph.TakeRules(rules), std::invalid_argument);
  rules.spread.clear();
  rules.affinity = {NearWeb("")};
  EXPECT_THROW(graph.TakeRules(rules), std::invalid_argument);
  Gang gang = Tasks("1x cpu=1");
  gang.groups[0].rules = 7;
  EXPECT_THROW(graph.Allocate(1, gang, Policy::kLonode, 0),
               std::invalid_argument);
}

TEST(TaskRules, NodeIsAllowedByItselfAsInTheGraph) {
  NodeGraph graph = TwoZones();
  TaskRules rules;
  rules.node.selector = {{"zone", "b"}};
  rules.node.affinity = {{{"metadata.name", Op::kIn, {"node3"}, true}}};
  const RulesId id = graph.TakeRules(rules);
  EXPECT_TRUE(graph.Allows(id, 3));
  EXPECT_FALSE(graph.Allows(id, 2));
  EXPECT_TRUE(graph.Allows(kNoRules, 2));
  EXPECT_TRUE(Allows(rules.node, "node3", {{"zone", "b"}}, {}));
  EXPECT_FALSE(Allows(rules.node, "node2", {{"zone", "b"}}, {}));
  const Taint taint{"x", "", TaintEffect::kNoExecute};
  graph.SetLabels(3, {{"zone", "b"}}, {taint});
  EXPECT_FALSE(graph.Allows(id, 3));
  EXPECT_FALSE(Allows(rules.node, "node3", {{"zone", "b"}}, {taint}));
}

TEST(TaskRules, AffinityVersionsMoveWithTheTasksThatRulesLookAt) {
  NodeGraph graph = TwoZones();
  TaskRules apart = Web();
  apart.anti_affinity = {NearWeb("zone")};
  const RulesId looks = graph.TakeRules(apart);
  const RulesId plain = graph.TakeRules({});
  EXPECT_TRUE(graph.LooksAtTasks(looks));
  EXPECT_FALSE(graph.LooksAtTasks(plain));
  EXPECT_FALSE(graph.LooksAtTasks(kNoRules));
  Place(graph, 1, {}, "1x cpu=1");
  const std::uint64_t before = graph.AffinityVersion(looks);
  graph.Cancel(1);
  EXPECT_EQ(graph.AffinityVersion(looks), before);
  Place(graph, 2, Web(), "1x cpu=1");
  const std::uint64_t with = graph.AffinityVersion(looks);
  EXPECT_NE(with, before);
  graph.Cancel(2);
  EXPECT_NE(graph.AffinityVersion(looks), with);
  EXPECT_EQ(graph.AffinityVersion(plain), 0U);
}

}  // namespace
}  // namespace fluxnetes::matcher
