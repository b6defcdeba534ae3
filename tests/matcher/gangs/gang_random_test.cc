// NodeGraph and its plain twin place random gangs without rules, and must
// agree.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/matcher/gangs/node_graph_twins.h"

namespace fluxnetes::matcher {
namespace {

class GangTwins final : public NodeGraphTwins {
 public:
  explicit GangTwins(std::uint64_t seed)
      : NodeGraphTwins(seed),
        ends_(Chance(70)),
        nodes_(Chance(5) ? Pick(60, 200) : Pick(1, 12)) {
    for (int i = 0; i < nodes_; ++i) AddAnyNode();
  }

  void Step() override {
    PassTime();
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
      Count(/*most=*/30);
    }
    if (Chance(10)) CompareFree();
    if (Chance(4)) CompareRebuilt();
    if (Chance(10)) CancelRestores();
  }

 private:
  std::vector<std::int64_t> PickAmounts(int most) {
    std::vector<std::int64_t> amounts;
    for (int r = 0; r < kResources; ++r) {
      amounts.push_back(Chance(15) ? 0 : Pick(1, most));
    }
    return amounts;
  }

  void AddAnyNode() {
    const int id = Pick(0, 5);
    AddNode(id, PickAmounts(10));
  }

  void ChangeNode() {
    const NodeIndex node = PickNode();
    if (!plain().nodes()[node].present) return AddAnyNode();
    const int what = Pick(0, 10);
    if (what == 10) {
      SetClass(node, Pick(0, 2));
    } else if (what < 3) {
      ToggleOpen(node);
    } else if (what < 6) {
      SetTotals(node, PickAmounts(10));
    } else if (what < 8) {
      SetUnmanaged(node, PickAmounts(3), {}, Pick(0, 2));
    } else {
      RemoveNode(node);
    }
  }

  Gang PickGang() override {
    Gang gang;
    const int groups = Chance(60) ? 1 : Pick(1, 3);
    for (int g = 0; g < groups; ++g) {
      TaskGroup group{PickAmounts(4), nullptr, Pick(0, 6)};
      if (Chance(20)) group.eligible = PickSet(nodes_, 60);
      gang.groups.push_back(std::move(group));
    }
    if (ends_ || Chance(70)) gang.duration = Pick(1, 15);
    PickSeating(gang);
    return gang;
  }

  TaskGroup PickBooked() override { return {PickAmounts(5)}; }

  void CompareFree() {
    const auto& nodes = plain().nodes();
    for (NodeIndex n = 0; n < static_cast<int>(nodes.size()); ++n) {
      if (!nodes[n].present) continue;
      for (int r = 0; r < kResources; ++r) {
        ASSERT_EQ(fast().Free(n, now())[r], plain().Free(n, r, now()));
      }
    }
  }

  void CompareRebuilt() {
    ASSERT_EQ(fast().Describe(), Rebuild().graph.Describe());
  }

  bool ends_;  // every gang has an end
  int nodes_;
};

TEST(NodeGraph, AgreesWithItsPlainTwin) {
  RunTwins(/*steps=*/60'000, /*steps_each=*/400, [](std::uint64_t seed) {
    return std::make_unique<GangTwins>(seed);
  });
}

}  // namespace
}  // namespace fluxnetes::matcher
