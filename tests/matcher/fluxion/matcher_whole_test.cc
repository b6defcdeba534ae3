// Whole vertices are taken without a look at what is below them, where what is
// in use there shows at the vertex. These are the cases in which it does not.
#include <gtest/gtest.h>

#include "matcher/fluxion/matcher.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kOneNode = "cluster0/node0 core=2";
constexpr const char* kWhole = "slot[1]/node[1]!/core[2] for 10";

class WholeVertices : public ::testing::TestWithParam<Policy> {
 protected:
  Match Run(JobId job, std::string_view ask, Time at) {
    return matcher.Run(job, Ask(ask), MatchOp::kAllocate, at);
  }

  Matcher matcher{Tree(kOneNode), {.policy = GetParam()}};
};

TEST_P(WholeVertices, AreTakenAgainAndAgain) {
  for (JobId job = 1; job <= 3; ++job) {
    EXPECT_EQ(Show(matcher.graph(), Run(job, kWhole, 0)),
              "core0:x core1:x node0:x cluster0:s");
    EXPECT_EQ(Run(9, kWhole, 0).outcome, MatchOutcome::kBusy);
    matcher.Cancel(job);
  }
}

TEST_P(WholeVertices, LackACoreThatIsDown) {
  ASSERT_TRUE(matcher.SetUp("/cluster0/node0/core1", false));
  EXPECT_FALSE(Run(1, kWhole, 0).found());
  EXPECT_TRUE(Run(2, "slot[1]/node[1]!/core[1]", 0).found());
}

TEST_P(WholeVertices, LackACoreOfAnOverdueJob) {
  ASSERT_TRUE(Run(1, "slot[1]/core[1] for 10", 0).found());
  EXPECT_EQ(Run(2, kWhole, 60).outcome, MatchOutcome::kBusy);
  matcher.Cancel(1);
  EXPECT_TRUE(Run(3, kWhole, 60).found());
}

TEST_P(WholeVertices, LackACoreOfAJobThatWasRestoredForLater) {
  const Match core = matcher.Run(1, Ask("slot[1]/core[1] for 10"),
                                 MatchOp::kWithoutAllocating, 0);
  HeldParts held;
  for (const Taken& taken : core.taken) {
    if (taken.exclusive)
      held.parts.push_back({taken.vertex, taken.units, true});
    held.edges.push_back({taken.edge, taken.units, taken.exclusive});
  }
  ASSERT_TRUE(matcher.Restore(1, held, /*reserved=*/false, 100, 10).found());
  EXPECT_EQ(Run(2, kWhole, 0).outcome, MatchOutcome::kBusy);
  matcher.Cancel(1);
  EXPECT_TRUE(Run(3, kWhole, 0).found());
}

TEST_P(WholeVertices, LackACoreOfAJobThatGaveBackTheNode) {
  ASSERT_TRUE(Run(1, "slot[1]/node[1]!/core[2] for 100", 0).found());
  const auto at = [&](const char* path) {
    return matcher.graph().Find(path).value();
  };
  ASSERT_EQ(matcher.CancelVertices(
                1, {at("/cluster0/node0"), at("/cluster0/node0/core0")}),
            Released::kPart);
  EXPECT_EQ(Run(2, kWhole, 0).outcome, MatchOutcome::kBusy);
  matcher.Cancel(1);
  EXPECT_TRUE(Run(3, kWhole, 0).found());
}

INSTANTIATE_TEST_SUITE_P(Policies, WholeVertices,
                         ::testing::Values(Policy::kFirst, Policy::kLow,
                                           Policy::kLocality));

}  // namespace
}  // namespace fluxnetes::matcher
