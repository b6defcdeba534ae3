// NodeGraph and its plain twin place tasks by rules, at random, and must agree.
// The seed is in the output; FLUXNETES_SEED repeats it, FLUXNETES_STEPS makes
// it longer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "matcher/explanation.h"
#include "matcher/gang.h"
#include "tests/matcher/plain_node_graph.h"
#include "tests/matcher/random_rules.h"

namespace fluxnetes::matcher {
namespace {

long Setting(const char* name, long otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atol(value);
}

class RuledTwins {
 public:
  explicit RuledTwins(std::uint64_t seed) : random_(seed), rules_(random_) {
    const int nodes = Chance(8) ? Pick(60, 150) : Pick(1, 10);
    for (int i = 0; i < nodes; ++i) AddNode();
    for (int i = 0; i < 4; ++i) TakeRules();
  }

  void Step() {
    if (Chance(40)) now_ += Pick(0, 6);
    if (Chance(2)) now_ = std::max<Time>(0, now_ - Pick(0, 20));
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
      Count();
    }
    if (Chance(10)) Explain();
    if (Chance(6)) CompareRebuilt();
    if (Chance(10)) CancelRestores();
  }

  NodeGraph& fast() { return fast_; }

 private:
  int Pick(int low, int high) { return rules_.Pick(low, high); }
  bool Chance(int percent) { return rules_.Chance(percent); }
  NodeIndex PickNode() {
    return Pick(0, static_cast<int>(plain_.nodes().size()) - 1);
  }
  JobId PickJob() {
    if (plain_.tasks().empty() || Chance(5)) return Pick(1, 9);
    return plain_.tasks()[Pick(0, static_cast<int>(plain_.tasks().size()) - 1)]
        .job;
  }
  RulesId PickTaken() {
    if (taken_.empty() || Chance(15)) return kNoRules;
    return taken_[Pick(0, static_cast<int>(taken_.size()) - 1)];
  }

  void TakeRules() {
    const TaskRules rules = rules_.PickRules();
    const RulesId id = fast_.TakeRules(rules);
    taken_.push_back(id);
    plain_.rules()[id] = rules;
  }

  void GiveRules() {
    if (taken_.size() < 3) return;
    const int at = Pick(0, static_cast<int>(taken_.size()) - 1);
    fast_.GiveRules(taken_[at]);
    taken_.erase(taken_.begin() + at);
  }

  void AddNode() {
    const int id = Pick(0, 5);
    const std::vector<std::int64_t> totals = {Pick(1, 8), Pick(1, 8)};
    const std::string name = "n" + std::to_string(next_name_++ % 300);
    const NodeIndex node = fast_.AddNode(name, id, totals);
    auto& nodes = plain_.nodes();
    if (node == static_cast<NodeIndex>(nodes.size())) {
      nodes.emplace_back();
      plain_.labelled().emplace_back();
    }
    nodes[node] = {id, true, true, totals, {0, 0}, {}};
    plain_.labelled()[node] = {name, true, {}, {}};
    if (Chance(90)) SetLabels(node);
  }

  void SetLabels(NodeIndex node) {
    PlainLabelledNode& labelled = plain_.labelled()[node];
    labelled.labels = rules_.PickLabels(labelled.name);
    labelled.taints = rules_.PickTaints();
    fast_.SetLabels(node, labelled.labels, labelled.taints);
  }

  void SetForeign(NodeIndex node) {
    auto& plain = plain_.nodes()[node];
    plain.foreign = {Pick(0, 2), Pick(0, 2)};
    plain.foreign_tasks.clear();
    for (int i = Pick(0, 2); i > 0; --i) {
      const RulesId rules = PickTaken();
      if (rules != kNoRules) plain.foreign_tasks.push_back(rules);
    }
    fast_.SetForeign(node, plain.foreign, plain.foreign_tasks);
  }

  void ChangeNode() {
    const NodeIndex node = PickNode();
    auto& plain = plain_.nodes()[node];
    if (!plain.present) return AddNode();
    const int what = Pick(0, 9);
    if (what < 2) {
      plain.open = !plain.open;
      fast_.SetOpen(node, plain.open);
    } else if (what < 3) {
      plain.totals = {Pick(1, 8), Pick(1, 8)};
      fast_.SetTotals(node, plain.totals);
    } else if (what < 5) {
      SetForeign(node);
    } else if (what < 9) {
      SetLabels(node);
    } else {
      plain.present = false;
      plain.foreign = {0, 0};
      plain.foreign_tasks.clear();
      plain_.labelled()[node] = {"", false, {}, {}};
      fast_.RemoveNode(node);
    }
  }

  Gang PickGang() {
    Gang gang;
    const int groups = Chance(50) ? 1 : Pick(1, 3);
    for (int g = 0; g < groups; ++g) {
      gang.groups.push_back(
          {{Pick(0, 3), Pick(0, 2)}, nullptr, Pick(0, 5), PickTaken()});
      if (!Chance(15)) continue;
      sets_.push_back(std::make_unique<NodeSet>());
      for (std::size_t n = 0; n < plain_.nodes().size(); ++n) {
        if (Chance(70)) sets_.back()->Insert(static_cast<NodeIndex>(n));
      }
      gang.groups.back().eligible = sets_.back().get();
    }
    if (Chance(75)) gang.duration = Pick(1, 15);
    for (int i = Chance(65) ? 0 : Pick(1, 2); i > 0; --i) {
      gang.together.push_back(rules_.PickKey());
    }
    gang.together_required = Chance(60);
    return gang;
  }

  void Ask(bool reserve) {
    const Gang gang = PickGang();
    const auto policy = static_cast<Policy>(Pick(0, 4));
    const JobId job = Chance(10) ? PickJob() : next_job_++;
    EXPECT_EQ(fast_.Satisfiable(gang, policy),
              plain_.Satisfiable(gang, policy));
    if (reserve) {
      Compare(fast_.AllocateOrReserve(job, gang, policy, now_),
              plain_.AllocateOrReserve(job, gang, policy, now_));
    } else {
      Compare(fast_.Allocate(job, gang, policy, now_),
              plain_.Allocate(job, gang, policy, now_));
    }
  }

  static void Compare(const MatchResult& fast, const MatchResult& plain) {
    ASSERT_EQ(fast.index(), plain.index());
    if (const auto* no_fit = std::get_if<NoFit>(&fast)) {
      ASSERT_EQ(*no_fit, std::get<NoFit>(plain));
      return;
    }
    ASSERT_EQ(std::get<0>(fast).start, std::get<0>(plain).start);
    ASSERT_EQ(std::get<0>(fast).nodes, std::get<0>(plain).nodes);
  }

  void Release() {
    const JobId job = PickJob();
    const int task = Pick(0, 6);
    ASSERT_EQ(fast_.Release(job, task), plain_.Release(job, task));
  }

  void Cancel() {
    const JobId job = PickJob();
    ASSERT_EQ(fast_.Cancel(job), plain_.Cancel(job));
  }

  void Restore() {
    const NodeIndex node = PickNode();
    if (!plain_.nodes()[node].present) return;
    const Time start = now_ + Pick(-10, 10);
    const Time end = start + Pick(1, 15);
    const std::vector<NodeIndex> nodes = {node, node};
    const std::vector<std::vector<std::int64_t>> amounts(2, {1, 1});
    const std::vector<RulesId> rules(2, PickTaken());
    fast_.Restore(next_job_, start, end, nodes, amounts, rules);
    plain_.Restore(next_job_, start, end, node, amounts, rules[0]);
    ++next_job_;
  }

  void Count() {
    const Gang gang = PickGang();
    const int limit = Pick(1, 12);
    EXPECT_EQ(fast_.CountFits(gang.groups[0], gang.duration, now_, limit),
              plain_.CountFits(gang.groups[0], gang.duration, now_, limit));
  }

  void Explain() {
    const Gang gang = PickGang();
    const auto policy = static_cast<Policy>(Pick(0, 4));
    const Explanation fast = fast_.Explain(gang, policy, now_);
    PlainNodeGraph copy = plain_;
    const Explanation plain = copy.Explain(gang, policy, now_);
    EXPECT_EQ(fast.earliest, plain.earliest);
    EXPECT_EQ(fast.no_fit, plain.no_fit);
    EXPECT_EQ(fast.fit, plain.fit);
    ASSERT_EQ(fast.groups.size(), plain.groups.size());
    for (std::size_t g = 0; g < fast.groups.size(); ++g) {
      EXPECT_EQ(fast.groups[g].open_to_one, plain.groups[g].open_to_one);
      EXPECT_EQ(fast.groups[g].fit, plain.groups[g].fit);
      EXPECT_EQ(Show(fast.groups[g]), Show(plain.groups[g]));
    }
  }

  static std::string Show(const GroupExplanation& group) {
    std::string text;
    for (const Exclusion& each : group.exclusions) {
      text += std::to_string(static_cast<int>(each.obstacle)) + "/" +
              std::to_string(each.resource) + ": " + std::to_string(each.all) +
              " " + std::to_string(each.first) + " " +
              std::to_string(each.alone) + "; ";
    }
    return text;
  }

  // What the plain twin knows, told to a new graph, gives the same picture.
  void CompareRebuilt() {
    NodeGraph rebuilt({"cpu", "mem"});
    std::map<RulesId, RulesId> ids = {{kNoRules, kNoRules}};
    const auto take = [&](RulesId id) {
      if (!ids.contains(id)) ids[id] = rebuilt.TakeRules(plain_.rules().at(id));
      return ids.at(id);
    };
    std::map<NodeIndex, NodeIndex> index;
    const auto& nodes = plain_.nodes();
    for (NodeIndex n = 0; n < static_cast<int>(nodes.size()); ++n) {
      if (!nodes[n].present && !plain_.Holds(n)) continue;
      index[n] = rebuilt.AddNode(fast_.Name(n), nodes[n].id, nodes[n].totals);
      rebuilt.SetLabels(index[n], plain_.labelled()[n].labels,
                        plain_.labelled()[n].taints);
      std::vector<RulesId> foreign;
      for (const RulesId id : nodes[n].foreign_tasks) {
        foreign.push_back(take(id));
      }
      rebuilt.SetForeign(index[n], nodes[n].foreign, foreign);
      rebuilt.SetOpen(index[n], nodes[n].open);
    }
    for (const auto& task : plain_.tasks()) {
      const std::vector<NodeIndex> on = {index.at(task.node)};
      const std::vector<std::vector<std::int64_t>> amounts = {task.amounts};
      const std::vector<RulesId> rules = {take(task.rules)};
      rebuilt.Restore(task.job, task.start, task.end, on, amounts, rules);
    }
    for (const auto& [n, there] : index) {
      if (!nodes[n].present) rebuilt.RemoveNode(there);
    }
    ASSERT_EQ(fast_.Describe(), rebuilt.Describe());
    for (const RulesId id : taken_) take(id);
    rebuilt.Allocate(1, {}, Policy::kLonode, now_);
    fast_.Allocate(1, {}, Policy::kLonode, now_);
    ASSERT_EQ(fast_.DescribeCounts(), rebuilt.DescribeCounts());
  }

  void CancelRestores() {
    fast_.Allocate(1, {}, Policy::kLonode, now_);
    const std::string before = fast_.Describe() + fast_.DescribeCounts();
    const JobId job = next_job_++;
    fast_.AllocateOrReserve(job, PickGang(), Policy::kLonode, now_);
    fast_.Cancel(job);
    ASSERT_EQ(fast_.Describe() + fast_.DescribeCounts(), before);
  }

  std::mt19937_64 random_;
  RandomRules rules_;
  int next_name_ = 0;
  JobId next_job_ = 10;
  Time now_ = 100;
  std::vector<RulesId> taken_;
  std::vector<std::unique_ptr<NodeSet>> sets_;
  NodeGraph fast_{{"cpu", "mem"}};
  PlainNodeGraph plain_{2};
};

TEST(TaskRules, GraphAgreesWithItsPlainTwin) {
  const long first = Setting("FLUXNETES_SEED", 1);
  const long steps = Setting("FLUXNETES_STEPS", 15'000);
  for (long done = 0, seed = first; done < steps; done += 200, ++seed) {
    SCOPED_TRACE("FLUXNETES_SEED=" + std::to_string(seed));
    RuledTwins twins(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 200; ++i) {
      twins.Step();
      if (HasFatalFailure() || HasNonfatalFailure()) {
        FAIL() << "step " << i << "\n" << twins.fast().Describe();
      }
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
