#include "matcher/nodes/scored_nodes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fluxnetes::matcher {
namespace {

struct NodeCandidate {
  double score = 0;
  int tasks = 0;
};

// Returns the node of each task, in the order given.
std::string Order(const Policy& policy, double step,
                  const std::vector<NodeCandidate>& candidates, int most = 1) {
  ScoredNodes scored;
  scored.Begin(PolicyOrder(policy), step);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    scored.Add(static_cast<NodeIndex>(i), candidates[i].score,
               candidates[i].tasks);
  std::string order;
  for (auto next = scored.Next(most); next.tasks > 0; next = scored.Next(most))
    order.append(next.tasks, static_cast<char>('a' + next.node));
  return order;
}

TEST(PolicyOrder, NodesComeByIdByAdditionOrByScore) {
  const PolicyOrder hinode(Policy::kHinode);
  EXPECT_TRUE(hinode.by_id && hinode.descending);
  EXPECT_EQ(hinode.score, PolicyOrder::Score::kNone);
  const PolicyOrder first(Policy::kFirst);
  EXPECT_TRUE(!first.by_id && first.descending);
  const PolicyOrder low(Policy::kLow);
  EXPECT_TRUE(!low.by_id && !low.descending && !low.highest_first);
  EXPECT_EQ(low.score, PolicyOrder::Score::kUnits);
  EXPECT_TRUE(PolicyOrder(Policy::kHigh).highest_first);
  EXPECT_EQ(
      PolicyOrder(*ParsePolicy("policy=low stop_on_1_matches=true")).score,
      PolicyOrder::Score::kNone);
}

TEST(ScoredNodes, LowSpreadsAndHighLevels) {
  EXPECT_EQ(Order(Policy::kLow, 2, {{4, 2}, {0, 3}, {0, 1}}), "bcbaba");
  EXPECT_EQ(Order(Policy::kHigh, 2, {{4, 2}, {7, 3}, {4, 1}}), "bbacba");
}

TEST(ScoredNodes, ClassesAreFilledOneAfterTheOther) {
  EXPECT_EQ(Order(Policy::kVariation, 1, {{5, 2}, {1, 2}, {5, 1}}, 3), "bbaac");
}

TEST(ScoredNodes, RunsEndWhereASumIsMissing) {
  // a gives 9 and 6, b 8 and 5, c 3.
  EXPECT_EQ(Order(Policy::kLocality, 3, {{9, 2}, {8, 2}, {3, 1}}), "ababc");
  // All sums from 2 to 9: one run, node by node.
  EXPECT_EQ(Order(Policy::kLocality, 1, {{5, 4}, {9, 4}}, 3), "aaaabbbb");
}

TEST(ScoredNodes, TasksThatNeedNoUnitsFillTheFirst) {
  EXPECT_EQ(Order(Policy::kLow, 0, {{0, 2}, {0, 2}}, 5), "aabb");
}

}  // namespace
}  // namespace fluxnetes::matcher
