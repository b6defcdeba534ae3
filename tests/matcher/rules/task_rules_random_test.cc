// NodeGraph and its plain twin place random tasks with rules, and must agree.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "matcher/gangs/explanation.h"
#include "tests/matcher/gangs/node_graph_twins.h"
#include "tests/matcher/random/random_rules.h"

namespace fluxnetes::matcher {
namespace {

std::string Show(const GroupExplanation& group) {
  std::string text;
  for (const Exclusion& each : group.exclusions) {
    text += std::to_string(static_cast<int>(each.obstacle)) + "/" +
            std::to_string(each.resource) + ": " + std::to_string(each.all) +
            " " + std::to_string(each.first) + " " +
            std::to_string(each.alone) + "; ";
  }
  return text;
}

class RuledTwins final : public NodeGraphTwins {
 public:
  explicit RuledTwins(std::uint64_t seed)
      : NodeGraphTwins(seed), rules_(random()) {
    const int nodes = Chance(8) ? Pick(60, 150) : Pick(1, 10);
    for (int i = 0; i < nodes; ++i) AddAnyNode();
    for (int i = 0; i < 4; ++i) TakeRules();
  }

  void Step() override {
    PassTime();
    const int what = Pick(0, 99);
    if (what < 28) {
      Ask(/*reserve=*/false);
    } else if (what < 48) {
      Ask(/*reserve=*/true);
    } else if (what < 60) {
      Release();
    } else if (what < 70) {
      Cancel();
    } else if (what < 84) {
      ChangeNode();
    } else if (what < 87) {
      Restore();
    } else if (what < 92) {
      TakeRules();
    } else if (what < 95) {
      GiveRules();
    } else {
      Count(/*most=*/12);
    }
    if (Chance(10)) Explain();
    if (Chance(6)) CompareRebuilt();
    if (Chance(10)) {
      ComeToNow(fast());
      CancelRestores();
    }
  }

 private:
  // The tasks of rules on other tasks are placed one by one, and a run of
  // `locality` is found anew for each; the plain twin does not tell them apart.
  Policy PickPolicy() override {
    const Policy policy = NodeGraphTwins::PickPolicy();
    return policy == Policy::kLocality ? Policy::kHigh : policy;
  }

  RulesId PickTaken() {
    if (taken_.empty() || Chance(15)) return kNoRules;
    return taken_[Pick(0, static_cast<int>(taken_.size()) - 1)];
  }

  void TakeRules() {
    const TaskRules rules = rules_.PickRules();
    const RulesId id = fast().TakeRules(rules);
    taken_.push_back(id);
    plain().rules()[id] = rules;
  }

  void GiveRules() {
    if (taken_.size() < 3) return;
    const int at = Pick(0, static_cast<int>(taken_.size()) - 1);
    fast().GiveRules(taken_[at]);
    taken_.erase(taken_.begin() + at);
  }

  void AddAnyNode() {
    const int id = Pick(0, 5);
    const NodeIndex node = AddNode(id, {Pick(1, 8), Pick(1, 8)});
    if (Chance(90)) SetLabels(node);
  }

  void SetLabels(NodeIndex node) {
    PlainLabelledNode& labelled = plain().labelled()[node];
    labelled.labels = rules_.PickLabels(labelled.name);
    labelled.taints = rules_.PickTaints();
    fast().SetLabels(node, labelled.labels, labelled.taints);
  }

  void SetAnyUnmanaged(NodeIndex node) {
    const std::vector<std::int64_t> amounts = {Pick(0, 2), Pick(0, 2)};
    std::vector<RulesId> tasks;
    for (int i = Pick(0, 2); i > 0; --i) {
      const RulesId rules = PickTaken();
      if (rules != kNoRules) tasks.push_back(rules);
    }
    SetUnmanaged(node, amounts, tasks, Pick(0, 1));
  }

  void ChangeNode() {
    const NodeIndex node = PickNode();
    if (!plain().nodes()[node].present) return AddAnyNode();
    const int what = Pick(0, 9);
    if (what < 2) {
      ToggleOpen(node);
    } else if (what < 3) {
      SetTotals(node, {Pick(1, 8), Pick(1, 8)});
    } else if (what < 5) {
      SetAnyUnmanaged(node);
    } else if (what < 9) {
      SetLabels(node);
    } else {
      RemoveNode(node);
    }
  }

  Gang PickGang() override {
    Gang gang;
    const int groups = Chance(50) ? 1 : Pick(1, 3);
    for (int g = 0; g < groups; ++g) {
      gang.groups.push_back(
          {{Pick(0, 3), Pick(0, 2)}, nullptr, Pick(0, 5), PickTaken()});
      if (!Chance(15)) continue;
      gang.groups.back().eligible =
          PickSet(static_cast<int>(plain().nodes().size()), 70);
    }
    if (Chance(75)) gang.duration = Pick(1, 15);
    PickSeating(gang);
    for (int i = Chance(65) ? 0 : Pick(1, 2); i > 0; --i) {
      gang.together.push_back(rules_.PickKey());
    }
    gang.together_required = Chance(60);
    for (int i = Chance(70) ? 0 : Pick(1, 3); i > 0; --i) {
      const NodeIndex node = PickNode();
      if (plain().nodes()[node].present) gang.beside.push_back(node);
    }
    return gang;
  }

  TaskGroup PickBooked() override { return {{1, 1}, nullptr, 1, PickTaken()}; }

  void Explain() {
    const Gang gang = PickGang();
    const auto policy = PickPolicy();
    const Explanation fast = this->fast().Explain(gang, policy, now());
    PlainNodeGraph copy = this->plain();
    const Explanation plain = copy.Explain(gang, policy, now());
    EXPECT_EQ(fast.fit, plain.fit);
    ASSERT_EQ(fast.groups.size(), plain.groups.size());
    for (std::size_t g = 0; g < fast.groups.size(); ++g) {
      EXPECT_EQ(fast.groups[g].open_to_one, plain.groups[g].open_to_one);
      EXPECT_EQ(fast.groups[g].fit, plain.groups[g].fit);
      EXPECT_EQ(Show(fast.groups[g]), Show(plain.groups[g]));
    }
  }

  void CompareRebuilt() {
    Rebuilt rebuilt = Rebuild();
    ASSERT_EQ(fast().Describe(), rebuilt.graph.Describe());
    for (const RulesId id : taken_) rebuilt.Take(plain(), id);
    ComeToNow(rebuilt.graph);
    ComeToNow(fast());
    ASSERT_EQ(fast().DescribeCounts(), rebuilt.graph.DescribeCounts());
  }

  // The counts are those of the last time for which a placement was requested.
  void ComeToNow(NodeGraph& graph) const {
    graph.Allocate(1, {}, Policy::kLonode, now());
  }

  std::string Describe() override {
    return fast().Describe() + fast().DescribeCounts();
  }

  RandomRules rules_;
  std::vector<RulesId> taken_;
};

TEST(TaskRulesRandom, GraphAgreesWithItsPlainTwin) {
  RunTwins(/*steps=*/15'000, /*steps_each=*/200, [](std::uint64_t seed) {
    return std::make_unique<RuledTwins>(seed);
  });
}

}  // namespace
}  // namespace fluxnetes::matcher
