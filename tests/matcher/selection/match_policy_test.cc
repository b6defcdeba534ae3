#include "matcher/selection/match_policy.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

TEST(MatchPolicy, CustomFormIsTheNamedOneInParts) {
  const auto custom = MatchPolicy::Parse(
      "policy=high node_centric=true node_exclusive=true "
      "stop_on_1_matches=true");
  const auto named = MatchPolicy::Parse("firstnodex");
  ASSERT_TRUE(custom && named);
  EXPECT_EQ(custom->descending, named->descending);
  EXPECT_EQ(custom->node_centric, named->node_centric);
  EXPECT_EQ(custom->node_exclusive, named->node_exclusive);
  EXPECT_EQ(custom->stop_on_match, named->stop_on_match);
}

TEST(MatchPolicy, UnknownNamesAndPartsAreNone) {
  for (const char* text : {"", "lownode", "highnode", "policy", "policy=middle",
                           "node_centric=true", "policy=low node_centric=maybe",
                           "policy=low set_stop_on_1_matches=true"}) {
    EXPECT_FALSE(MatchPolicy::Parse(text)) << text;
  }
}

TEST(MatchPolicy, HighWinsOverLow) {
  EXPECT_TRUE(MatchPolicy::Parse("policy=low policy=high")->descending);
  EXPECT_FALSE(MatchPolicy::Parse("policy=low")->descending);
}

}  // namespace
}  // namespace fluxnetes::matcher
