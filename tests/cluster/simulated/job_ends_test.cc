#include "cluster/simulated/job_ends.h"

#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

using Action = PodFailureRule::Action;

PodFailureRule OnCodes(Action action, bool in, std::vector<int> codes,
                       const std::string& container = "") {
  PodFailureRule rule;
  rule.action = action;
  rule.exit_codes = {container, in, std::move(codes)};
  return rule;
}

PodFailureRule OnDisruption(Action action) {
  PodFailureRule rule;
  rule.action = action;
  rule.conditions = {{"DisruptionTarget", "True"}};
  return rule;
}

PodFailure Code(int code) { return {code, "main", false}; }

TEST(JobEnds, FirstRuleThatAppliesDecides) {
  const std::vector<PodFailureRule> rules = {
      OnCodes(Action::kFailJob, true, {42}),
      OnCodes(Action::kIgnore, false, {1, 2})};
  EXPECT_EQ(ActionOn(rules, Code(42)), Action::kFailJob);
  EXPECT_EQ(ActionOn(rules, Code(7)), Action::kIgnore);
  EXPECT_EQ(ActionOn(rules, Code(2)), Action::kCount);
  EXPECT_EQ(ActionOn({}, Code(7)), Action::kCount);
}

TEST(JobEnds, RuleOnExitCodesNeedsAContainerThatFailed) {
  const std::vector<PodFailureRule> any = {
      OnCodes(Action::kFailJob, false, {1})};
  EXPECT_EQ(ActionOn(any, {}), Action::kCount);
  EXPECT_EQ(ActionOn(any, Code(0)), Action::kCount);
  const std::vector<PodFailureRule> other = {
      OnCodes(Action::kFailJob, true, {3}, "side")};
  EXPECT_EQ(ActionOn(other, Code(3)), Action::kCount);
  EXPECT_EQ(ActionOn(other, {3, "side", false}), Action::kFailJob);
}

TEST(JobEnds, DisruptionIsACondition) {
  const std::vector<PodFailureRule> rules = {OnDisruption(Action::kIgnore)};
  EXPECT_EQ(ActionOn(rules, {143, "main", true}), Action::kIgnore);
  EXPECT_EQ(ActionOn(rules, Code(143)), Action::kCount);
}

TEST(JobEnds, SuccessOfSomeIndexesIsEnough) {
  SuccessRule both;
  both.indexes = {{0, 1}};
  EXPECT_FALSE(IsEnough({both}, {0, 2, 3}));
  EXPECT_TRUE(IsEnough({both}, {0, 1}));
  SuccessRule one_of_two = both;
  one_of_two.count = 1;
  EXPECT_TRUE(IsEnough({one_of_two}, {1}));
  EXPECT_FALSE(IsEnough({one_of_two}, {2}));
  SuccessRule any_three;
  any_three.count = 3;
  EXPECT_FALSE(IsEnough({any_three}, {0, 9}));
  EXPECT_TRUE(IsEnough({both, any_three}, {5, 6, 7}));
  EXPECT_FALSE(IsEnough({}, {0, 1, 2}));
}

TEST(JobEnds, NoSuccessIsNotEnough) {
  SuccessRule none;
  none.count = 0;
  EXPECT_FALSE(IsEnough({none}, {}));
  SuccessRule empty;
  empty.indexes = IndexRanges();
  EXPECT_FALSE(IsEnough({empty}, {0}));
}

}  // namespace
}  // namespace fluxnetes::cluster
