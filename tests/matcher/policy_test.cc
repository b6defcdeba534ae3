#include "matcher/policy.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

TEST(Policy, ComposedFormIsTheNamedOneInParts) {
  EXPECT_EQ(ParsePolicy("policy=high node_centric=true node_exclusive=true "
                        "stop_on_1_matches=true"),
            Policy::kFirstnodex);
  EXPECT_EQ(ParsePolicy("  node_centric=true  policy=low "), Policy::kLonode);
}

TEST(Policy, UnknownNamesAndPartsAreNone) {
  for (const char* text : {"", "lownode", "highnode", "policy", "policy=middle",
                           "node_centric=true", "policy=low node_centric=maybe",
                           "policy=low set_stop_on_1_matches=true"}) {
    EXPECT_FALSE(ParsePolicy(text)) << text;
  }
}

TEST(Policy, HighWinsOverLow) {
  EXPECT_EQ(ParsePolicy("policy=low policy=high"), Policy::kHigh);
  EXPECT_EQ(ParsePolicy("policy=low"), Policy::kLow);
}

TEST(Policy, NameIsReadAsTheSamePolicy) {
  for (const char* text :
       {"first", "firstnodex", "high", "low", "hinode", "lonode", "hinodex",
        "lonodex", "locality", "variation", "policy=low node_exclusive=true",
        "policy=low node_centric=true stop_on_1_matches=true",
        "policy=high stop_on_1_matches=true"}) {
    ASSERT_TRUE(ParsePolicy(text)) << text;
    EXPECT_EQ(Name(*ParsePolicy(text)), text);
  }
  EXPECT_EQ(Name(*ParsePolicy("policy=high node_centric=false")), "high");
}

TEST(Policy, ClassIsANumberFromNoneToTheWorst) {
  EXPECT_EQ(ParseClass("0"), 0);
  EXPECT_EQ(ParseClass("9999"), 9999);
  for (const char* text : {"", "-1", "10000", "1.5", "7 ", "fast"}) {
    EXPECT_FALSE(ParseClass(text)) << text;
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
