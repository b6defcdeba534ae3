// Rules about other pods, through the whole system: from the manifest to the
// nodes on which the simulated cluster runs the pods.
#include <map>
#include <set>

#include "tests/invariants/behaviour/behaviour.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

constexpr const char* kHost = "kubernetes.io/hostname";

class BehaviourOfRules : public Behaviour {
 protected:
  BehaviourOfRules()
      : Behaviour(R"(
      nodes:
      - {name: node0, cpu: 8, memory: 16Gi, zone: a}
      - {name: node1, cpu: 8, memory: 16Gi, zone: a}
      - {name: node2, cpu: 8, memory: 16Gi, zone: b}
      - {name: node3, cpu: 8, memory: 16Gi, zone: b})") {}

  // Running pods by node, or by the node's value of a label.
  std::map<std::string, int> RunningBy(const std::string& label = "") {
    std::map<std::string, int> counts;
    const auto snapshot = system.cluster.TakeSnapshot();
    for (const auto& pod : snapshot.pods) {
      if (pod->phase != cluster::PodPhase::kRunning) continue;
      for (const auto& node : snapshot.nodes) {
        if (node->name != pod->node_name) continue;
        ++counts[label.empty() ? node->name : node->labels.at(label)];
      }
    }
    return counts;
  }

  static std::string Selector(const std::string& group) {
    return "labelSelector: {matchLabels: {fluxnetes.group-name: " + group +
           "}}";
  }
  static std::string Apart(const std::string& group, const std::string& key) {
    return "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnored"
           "DuringExecution: [{topologyKey: " +
           key + ", " + Selector(group) + "}]}}";
  }
  static std::string Spread(const std::string& group) {
    return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
           "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, " +
           Selector(group) + "}]";
  }
};

TEST_F(BehaviourOfRules, MembersThatWantToBeApartAre) {
  Submit(GangOf("apart", 4, {.seconds = 30, .rules = Apart("apart", kHost)}));
  Submit(GangOf("second", 2, {.seconds = 30, .rules = Apart("apart", kHost)}));
  system.Advance(seconds(2));
  EXPECT_EQ(RunningBy().size(), 4U);
  EXPECT_EQ(StateOf("apart"), "bound");
  EXPECT_EQ(StateOf("second"), "pending");
  system.Advance(seconds(40));
  EXPECT_EQ(StateOf("second"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfRules, MoreApartThanThereAreNodesIsUnsatisfiable) {
  Submit(GangOf("apart", 5, {.rules = Apart("apart", kHost)}));
  EXPECT_EQ(StateOf("apart"), "unsatisfiable");
}

TEST_F(BehaviourOfRules, SpreadGangHasAsManyInEachZone) {
  Submit(GangOf("spread", 6, {.seconds = 30, .rules = Spread("spread")}));
  system.Advance(seconds(2));
  EXPECT_EQ(RunningBy("topology.kubernetes.io/zone"),
            (std::map<std::string, int>{{"a", 3}, {"b", 3}}));
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfRules, WhatCannotBeHonouredIsRefusedWithItsReason) {
  Submit(GangOf("claims", 2, {.rules = "resourceClaims: [{name: gpu}]"}));
  EXPECT_THAT(system.Ask("SELECT min(refused) FROM pods_provisional"),
              ::testing::HasSubstr("resourceClaims"));
}

}  // namespace
}  // namespace fluxnetes::testing
