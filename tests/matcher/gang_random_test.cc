// NodeGraph and its plain twin do the same random things and must agree. The
// seed is in the output; FLUXNETES_SEED repeats it, FLUXNETES_STEPS makes it
// longer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "matcher/gang.h"
#include "tests/matcher/plain_node_graph.h"

namespace fluxnetes::matcher {
namespace {

constexpr int kResources = 2;

long Setting(const char* name, long otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atol(value);
}

class Twins {
 public:
  explicit Twins(std::uint64_t seed)
      : random_(seed),
        ends_(Chance(70)),
        nodes_(Chance(5) ? Pick(60, 200) : Pick(1, 12)) {
    for (int i = 0; i < nodes_; ++i) AddNode();
  }

  void Step() {
    if (Chance(40)) now_ += Pick(0, 6);
    if (Chance(2)) now_ = std::max<Time>(0, now_ - Pick(0, 20));
    const int what = Pick(0, 99);
    if (what < 25) {
      Ask(/*reserve=*/false);
    } else if (what < 45) {
      Ask(/*reserve=*/true);
    } else if (what < 62) {
      Release();
    } else if (what < 74) {
      Cancel();
    } else if (what < 88) {
      ChangeNode();
    } else if (what < 90) {
      Restore();
    } else {
      Count();
    }
    if (Chance(10)) CompareFree();
    if (Chance(4)) CompareRebuilt();
    if (Chance(10)) CancelRestores();
  }

  NodeGraph& fast() { return fast_; }

 private:
  int Pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random_);
  }
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  NodeIndex PickNode() {
    return Pick(0, static_cast<int>(plain_.nodes().size()) - 1);
  }
  JobId PickJob() {
    if (plain_.tasks().empty() || Chance(5)) return Pick(1, 9);
    return plain_.tasks()[Pick(0, static_cast<int>(plain_.tasks().size()) - 1)]
        .job;
  }
  std::vector<std::int64_t> PickAmounts(int most) {
    std::vector<std::int64_t> amounts;
    for (int r = 0; r < kResources; ++r) {
      amounts.push_back(Chance(15) ? 0 : Pick(1, most));
    }
    return amounts;
  }

  void AddNode() {
    const int id = Pick(0, 5);
    const auto totals = PickAmounts(10);
    const std::string name = "n" + std::to_string(next_name_++);
    const NodeIndex node = fast_.AddNode(name, id, totals);
    auto& nodes = plain_.nodes();
    if (node == static_cast<NodeIndex>(nodes.size())) nodes.emplace_back();
    ASSERT_LT(node, static_cast<NodeIndex>(nodes.size()));
    ASSERT_FALSE(plain_.Holds(node));
    nodes[node] = {id, true, true, totals,
                   std::vector<std::int64_t>(kResources)};
  }

  void ChangeNode() {
    const NodeIndex node = PickNode();
    auto& plain = plain_.nodes()[node];
    if (!plain.present) return AddNode();
    const int what = Pick(0, 9);
    if (what < 3) {
      plain.open = !plain.open;
      fast_.SetOpen(node, plain.open);
    } else if (what < 6) {
      plain.totals = PickAmounts(10);
      fast_.SetTotals(node, plain.totals);
    } else if (what < 8) {
      plain.foreign = PickAmounts(3);
      fast_.SetForeign(node, plain.foreign);
    } else {
      plain.present = false;
      plain.foreign.assign(kResources, 0);
      fast_.RemoveNode(node);
    }
  }

  Gang PickGang() {
    Gang gang;
    const int groups = Chance(60) ? 1 : Pick(1, 3);
    for (int g = 0; g < groups; ++g) {
      TaskGroup group{PickAmounts(4), nullptr, Pick(0, 6)};
      if (Chance(20)) {
        sets_.push_back(std::make_unique<NodeSet>());
        for (int i = 0; i < nodes_; ++i) {
          if (Chance(60)) sets_.back()->Insert(i);
        }
        group.eligible = sets_.back().get();
      }
      gang.groups.push_back(std::move(group));
    }
    if (ends_ || Chance(70)) gang.duration = Pick(1, 15);
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
    const std::vector<std::vector<std::int64_t>> amounts(2, PickAmounts(5));
    fast_.Restore(next_job_, start, end, nodes, amounts);
    plain_.Restore(next_job_, start, end, node, amounts);
    ++next_job_;
  }

  void Count() {
    const Gang gang = PickGang();
    const int limit = Pick(1, 30);
    EXPECT_EQ(fast_.CountFits(gang.groups[0], gang.duration, now_, limit),
              plain_.CountFits(gang.groups[0], gang.duration, now_, limit));
  }

  void CompareFree() {
    for (NodeIndex n = 0; n < static_cast<int>(plain_.nodes().size()); ++n) {
      if (!plain_.nodes()[n].present) continue;
      for (int r = 0; r < kResources; ++r) {
        ASSERT_EQ(fast_.Free(n, now_)[r], plain_.Free(n, r, now_));
      }
    }
  }

  // What the plain twin knows, told to a new graph, gives the same picture.
  void CompareRebuilt() {
    NodeGraph rebuilt({"cpu", "mem"});
    std::map<NodeIndex, NodeIndex> index;
    const auto& nodes = plain_.nodes();
    for (NodeIndex n = 0; n < static_cast<int>(nodes.size()); ++n) {
      if (!nodes[n].present && !plain_.Holds(n)) continue;
      index[n] = rebuilt.AddNode(fast_.Name(n), nodes[n].id, nodes[n].totals);
      rebuilt.SetForeign(index[n], nodes[n].foreign);
      rebuilt.SetOpen(index[n], nodes[n].open);
    }
    for (const auto& task : plain_.tasks()) {
      const std::vector<NodeIndex> on = {index.at(task.node)};
      const std::vector<std::vector<std::int64_t>> amounts = {task.amounts};
      rebuilt.Restore(task.job, task.start, task.end, on, amounts);
    }
    for (const auto& [n, there] : index) {
      if (!nodes[n].present) rebuilt.RemoveNode(there);
    }
    ASSERT_EQ(fast_.Describe(), rebuilt.Describe());
  }

  void CancelRestores() {
    const std::string before = fast_.Describe();
    const JobId job = next_job_++;
    fast_.AllocateOrReserve(job, PickGang(), Policy::kLonode, now_);
    fast_.Cancel(job);
    ASSERT_EQ(fast_.Describe(), before);
  }

  std::mt19937_64 random_;
  bool ends_;  // everything has an end
  int nodes_;
  int next_name_ = 0;
  JobId next_job_ = 10;
  Time now_ = 100;
  std::vector<std::unique_ptr<NodeSet>> sets_;
  NodeGraph fast_{{"cpu", "mem"}};
  PlainNodeGraph plain_{kResources};
};

TEST(NodeGraph, AgreesWithItsPlainTwin) {
  const long first = Setting("FLUXNETES_SEED", 1);
  const long steps = Setting("FLUXNETES_STEPS", 60'000);
  for (long done = 0, seed = first; done < steps; done += 400, ++seed) {
    SCOPED_TRACE("FLUXNETES_SEED=" + std::to_string(seed));
    Twins twins(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 400; ++i) {
      twins.Step();
      if (HasFatalFailure() || HasNonfatalFailure()) {
        FAIL() << "step " << i << "\n" << twins.fast().Describe();
      }
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
