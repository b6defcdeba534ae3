#include "matcher/planner/vertex_plans.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fluxnetes::matcher {
namespace {

bool Same(const std::optional<Planner::Stretch>& a,
          const std::optional<Planner::Stretch>& b) {
  return a.has_value() == b.has_value() &&
         (!a || (a->start == b->start && a->end == b->end));
}

TEST(VertexPlans, SpansOutsideOfAllTimeAreRefused) {
  VertexPlans plans(VertexPlans::kTotal);
  plans.Resize(1);
  EXPECT_FALSE(plans.AddSpan(0, 4, 0, 0, 4));
  EXPECT_FALSE(plans.AddSpan(0, 4, -1, 5, 4));
  EXPECT_FALSE(plans.AddSpan(0, 4, 1, kForever, 4));
  EXPECT_FALSE(plans.AddSpan(0, 4, 0, 5, 5));
  EXPECT_FALSE(plans.AddSpan(0, 4, 0, 5, -1));
  EXPECT_EQ(plans.LeastDuring(0, 4, 0, 100), 4);
  EXPECT_TRUE(plans.AddSpan(0, 4, 1, kForever - 1, 4));
  EXPECT_EQ(plans.LeastDuring(0, 4, 0, 1), 4);
  EXPECT_EQ(plans.LeastDuring(0, 4, 1, 1), 0);
}

// Each vertex must answer as a planner of its own would.
void PlayAgainstPlanners(std::int64_t usual, std::int64_t total, int seed) {
  constexpr int kVertices = 3;
  struct Held {
    VertexIndex v;
    PlanId ours;
    PlanId theirs;
  };
  std::mt19937 random(seed);
  const auto pick = [&](int most) { return static_cast<int>(random() % most); };
  VertexPlans plans(usual);
  plans.Resize(kVertices);
  std::vector<Planner> planners(kVertices, Planner(0, kForever, total));
  std::vector<Held> held;
  int found = 0;
  for (int move = 0; move < 2'000; ++move) {
    const VertexIndex v = pick(kVertices);
    const Time start = pick(20);
    const Time length = 1 + pick(10);
    if (pick(5) < 2) {
      const std::int64_t units = pick(3) == 0 ? pick(5) : usual;
      const std::int64_t taken = units == VertexPlans::kTotal ? total : units;
      const auto ours = plans.AddSpan(v, total, start, length, taken);
      const auto theirs = planners[v].AddSpan(start, length, taken);
      ASSERT_EQ(ours.has_value(), theirs.has_value());
      if (ours) held.push_back({v, *ours, *theirs});
    } else if (!held.empty() && pick(2) == 0) {
      const int at = pick(static_cast<int>(held.size()));
      const Held gone = held[at];
      held.erase(held.begin() + at);
      plans.RemoveSpan(gone.v, gone.ours);
      ASSERT_TRUE(planners[gone.v].RemoveSpan(gone.theirs));
    }
    ASSERT_EQ(plans.LeastDuring(v, total, start, length),
              planners[v].LeastDuring(start, length));
    const auto shortage = plans.ShortageIn(v, total, start, length, total);
    ASSERT_TRUE(Same(shortage, planners[v].ShortageIn(start, length, total)));
    found += shortage ? 1 : 0;
    if (usual != VertexPlans::kTotal) continue;
    // Asked twice, since the second answer is the one that was kept.
    const bool taken = planners[v].LeastDuring(start, length) == 0;
    ASSERT_EQ(plans.TakenIn(v, start, length), taken);
    ASSERT_EQ(plans.TakenIn(v, start, length), taken);
  }
  EXPECT_GT(found, 100);
}

TEST(VertexPlans, VertexAnswersAsAPlannerOfItsOwn) {
  for (int seed = 1; seed <= 10; ++seed) {
    PlayAgainstPlanners(VertexPlans::kTotal, 4, seed);
    PlayAgainstPlanners(1, 1'000, seed);
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
