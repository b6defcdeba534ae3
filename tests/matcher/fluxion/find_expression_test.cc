#include "matcher/fluxion/find_expression.h"

#include <gtest/gtest.h>

#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

class FindTest : public ::testing::Test {
 protected:
  FindTest()
      : matcher_(Tree(R"(
            cluster0/node0 core=2
            cluster0/node1 core=2 +ssd)"),
                 {.policy = *ParsePolicy("low")}) {
    matcher_.Run(1, Ask("slot[1]/core[1]"), MatchOp::kAllocate, 0);
  }

  std::string Find(std::string_view text) {
    const auto expression = FindExpression::Parse(text);
    if (!expression) return "invalid";
    std::string names;
    for (const Taken& taken : expression->Find(matcher_, 0)) {
      names += (names.empty() ? "" : " ") +
               matcher_.graph().Name(taken.vertex) +
               (taken.note ? taken.note->filter : "");
    }
    return names;
  }

  Matcher matcher_;
};

TEST_F(FindTest, WhatIsFoundComesWithAllAboveIt) {
  EXPECT_EQ(Find("jobid-alloc=1"), "core0 node0 cluster0");
  EXPECT_EQ(Find("property=ssd"), "node1 cluster0");
  EXPECT_EQ(Find("names=core1"), "core1 node0 core1 node1 cluster0");
  EXPECT_EQ(Find("jobid-alloc=2"), "");
}

TEST_F(FindTest, DownAndAllocatedGoDownTheTree) {
  matcher_.SetUp("/cluster0/node1", false);
  EXPECT_EQ(Find("status=down"), "core0 core1 node1 cluster0");
  EXPECT_EQ(Find("status=down and names=core0"), "core0 node1 cluster0");
  matcher_.Run(2, Ask("slot[1]/core[1]"), MatchOp::kAllocate, 0);
  EXPECT_EQ(Find("sched-now=allocated"), "core0 core1 node0 cluster0");
}

TEST_F(FindTest, OperatorsHaveOneWeightFromTheLeft) {
  EXPECT_EQ(Find("names=core0 or names=core1 and property=ssd"), "");
  EXPECT_EQ(Find("names=core0 or (names=core1 and property=ssd)"),
            "core0 node0 core0 node1 cluster0");
  EXPECT_EQ(Find("names=core0 jobid-tag=1"), "core0 node0 cluster0");
}

TEST_F(FindTest, FiltersTellWhatIsUsed) {
  EXPECT_EQ(
      Find("agfilter=true names=node0"),
      R"(node0{"core": "used:1, total:2"} )"
      R"(cluster0{"core": "used:1, total:4", "node": "used:0, total:2"})");
}

TEST_F(FindTest, AgfilterHoldsEverywhereOrNowhere) {
  EXPECT_EQ(Find("agfilter=false"), "");
  EXPECT_EQ(Find("agfilter=false or names=node0"), "node0 cluster0");
  // The last one decides whether filters are shown.
  EXPECT_EQ(Find("agfilter=true or agfilter=f"),
            "core0 core1 node0 core0 core1 node1 cluster0");
}

TEST_F(FindTest, WhereNoFilterIsShownTheWayUpEnds) {
  EXPECT_EQ(Find("names=core0 and agfilter=true"), "");
  EXPECT_EQ(
      Find("agfilter=true and jobid-tag=1"),
      R"(node0{"core": "used:1, total:2"} )"
      R"(cluster0{"core": "used:1, total:4", "node": "used:0, total:2"})");
  EXPECT_EQ(Find("agfilter=true or jobid-tag=7"), "");
  EXPECT_EQ(Find("jobid-tag=7 or jobid-tag=0 or agfilter=true"), "");
}

TEST_F(FindTest, WhatIsNoExpressionIsRefused) {
  for (const char* text :
       {"", "and", "status=up and", "(status=up", "status=up)", "()",
        "status=sideways", "bogus=1", "jobid-alloc=x", "names=", "status"}) {
    EXPECT_EQ(Find(text), "invalid") << text;
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
