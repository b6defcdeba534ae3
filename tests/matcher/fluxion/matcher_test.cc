#include "matcher/fluxion/matcher.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kTwoNodes = R"(
    cluster0/rack0/node0 core=2 gpu=1
    cluster0/rack0/node1 core=2 gpu=1)";

// A matcher and its answers at time 0.
class Session {
 public:
  explicit Session(std::string_view picture, Policy policy = Policy::kLow)
      : matcher(Tree(picture), {.policy = policy}) {}

  std::string Allocate(std::string_view ask) {
    return Run(ask, MatchOp::kAllocate);
  }
  std::string Reserve(std::string_view ask) {
    return Run(ask, MatchOp::kAllocateOrElseReserve);
  }
  std::string Run(std::string_view ask, MatchOp op) {
    return Show(matcher.graph(), matcher.Run(++job, Ask(ask), op, 0));
  }

  Matcher matcher;
  JobId job = 0;
};

TEST(Matcher, PolicyChoosesAmongWhatFits) {
  const auto take = [](Policy policy) {
    return Session(kTwoNodes, policy).Allocate("slot[1]/core[1]");
  };
  EXPECT_EQ(take(Policy::kLow), "core0:x node0:s rack0:s cluster0:s");
  EXPECT_EQ(take(Policy::kHigh), "core1:x node0:s rack0:s cluster0:s");
  EXPECT_EQ(take(Policy::kLonode), "core0:x node0:s rack0:s cluster0:s");
  EXPECT_EQ(take(Policy::kHinode), "core1:x node1:s rack0:s cluster0:s");
  EXPECT_EQ(take(Policy::kFirst), "core1:x node1:s rack0:s cluster0:s");
}

TEST(Matcher, LonodeFillsANodeWhereLowSpreads) {
  EXPECT_EQ(Session(kTwoNodes, Policy::kLow).Allocate("slot[2]/core[1]"),
            "core0:x node0:s core0:x node1:s rack0:s cluster0:s");
  EXPECT_EQ(Session(kTwoNodes, Policy::kLonode).Allocate("slot[2]/core[1]"),
            "core0:x core1:x node0:s rack0:s cluster0:s");
}

TEST(Matcher, FirstFillsTheVertexItCameToFirst) {
  Session session(kTwoNodes, Policy::kFirst);
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"),
            "core1:x node1:s rack0:s cluster0:s");
  EXPECT_EQ(session.Allocate("slot[1]/core[2]"),
            "core0:x core1:x node0:s rack0:s cluster0:s");
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"),
            "core0:x node1:s rack0:s cluster0:s");
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"), "busy");
}

// With 1,056 candidates: the nodes that Fluxion takes, one after the other.
TEST(Matcher, EqualCandidatesAreAsTheyWereFoundOrAsSortLeavesThem) {
  std::string picture;
  for (int n = 0; n < 33; ++n) {
    picture += "cluster0/node" + std::to_string(n) + " core=32\n";
  }
  const auto take = [&](const char* policy, bool sort) {
    Matcher matcher(Tree(picture),
                    {.policy = *ParsePolicy(policy), .sort_equals = sort});
    std::string taken;
    for (JobId job = 1; job <= 4; ++job) {
      const Match match =
          matcher.Run(job, Ask("slot[1]/core[1]"), MatchOp::kAllocate, 0);
      taken += matcher.graph().Name(match.taken.at(0).vertex) + " of " +
               matcher.graph().Name(match.taken.at(1).vertex) + ", ";
    }
    return taken;
  };
  EXPECT_EQ(take("low", false),
            "core0 of node0, core0 of node1, core0 of node2, core0 of node3, ");
  EXPECT_EQ(
      take("low", true),
      "core0 of node27, core0 of node7, core0 of node6, core0 of node26, ");
  EXPECT_EQ(
      take("locality", true),
      "core2 of node21, core3 of node21, core1 of node21, core4 of node21, ");
  EXPECT_EQ(
      take("variation", true),
      "core3 of node21, core4 of node21, core2 of node21, core5 of node21, ");
  EXPECT_EQ(take("lonode", true), take("lonode", false));
}

TEST(Matcher, TopLevelsMayBeLeftOutMiddleOnesMayNot) {
  EXPECT_EQ(Session(kTwoNodes).Allocate("rack[1]/node[1]/slot[1]/core[1]"),
            "core0:x node0:s rack0:s cluster0:s");
  EXPECT_EQ(Session(kTwoNodes).Allocate("rack[1]/slot[1]/core[1]"), "busy");
}

TEST(Matcher, SlotsNeverSpanTwoParents) {
  Session session(kTwoNodes);
  EXPECT_EQ(session.Allocate("slot[1]/core[3]"), "busy");
  EXPECT_EQ(session.Allocate("slot[2]/core[1],gpu[1]"),
            "core0:x gpu0:x node0:s core0:x gpu0:x node1:s rack0:s cluster0:s");
  EXPECT_EQ(session.Allocate("slot[1]/gpu[1]"), "busy");
}

TEST(Matcher, ExclusiveTakesAllBelow) {
  Session session(kTwoNodes);
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"),
            "core0:x node0:s rack0:s cluster0:s");
  EXPECT_EQ(session.Allocate("node[1]!"),
            "core0:x core1:x gpu0:x node1:x rack0:s cluster0:s");
  EXPECT_EQ(session.Allocate("node[1]!"), "busy");
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"),
            "core1:x node0:s rack0:s cluster0:s");
}

TEST(Matcher, QuantitiesRoundUpToWholeVertices) {
  Session session("cluster0/node0 core=1 memory=3*4");
  EXPECT_EQ(session.Allocate("slot[1]/memory[5]"),
            "memory0*4:x memory1*4:x node0:s cluster0:s");
  EXPECT_EQ(session.Allocate("slot[1]/memory[5]"), "busy");
  EXPECT_EQ(session.Allocate("slot[1]/memory[1]"),
            "memory2*4:x node0:s cluster0:s");
}

TEST(Matcher, ReservesAtTheFirstEndThatDoes) {
  Session session(kTwoNodes);
  session.Allocate("slot[1]/node[2] for 100");
  EXPECT_EQ(session.Reserve("slot[1]/node[1] for 50"),
            "at 100: node0:x rack0:s cluster0:s");
  EXPECT_EQ(session.Reserve("slot[1]/node[2] for 10"),
            "at 150: node0:x node1:x rack0:s cluster0:s");
  EXPECT_EQ(session.Reserve("slot[1]/node[1] for 50"),
            "at 100: node1:x rack0:s cluster0:s");
  EXPECT_EQ(session.Reserve("slot[1]/node[3] for 50"), "busy");
}

TEST(Matcher, BusyIsNotUnsatisfiable) {
  constexpr auto kOp = MatchOp::kAllocateWithSatisfiability;
  Session session(kTwoNodes);
  session.Allocate("slot[1]/node[2] for 100");
  EXPECT_EQ(session.Run("slot[1]/core[1]", kOp), "busy");
  EXPECT_EQ(session.Run("slot[1]/core[3]", kOp), "unsatisfiable");
  EXPECT_EQ(session.Run("slot[1]/core[2]", MatchOp::kSatisfiability),
            "satisfiable");
  EXPECT_EQ(session.Run("slot[1]/core[3]", MatchOp::kSatisfiability),
            "unsatisfiable");
}

TEST(Matcher, InvalidRequestsSaySo) {
  Session session(kTwoNodes);
  EXPECT_EQ(session.Allocate("slot[1]/quantum[1]"), "invalid");
  EXPECT_EQ(session.Allocate("slot[1]/core[1] for -1"), "invalid");
  EXPECT_EQ(session.Allocate("slot[1]/core[1] for 1e300"), "invalid");
  EXPECT_EQ(session.Allocate("slot[1]/core[1] for .nan"), "invalid");
}

TEST(Matcher, CancelGivesBackEverything) {
  Session session(kTwoNodes, Policy::kLonode);
  EXPECT_FALSE(session.matcher.Cancel(1));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(session.Allocate("slot[2]/core[2]"),
              "core0:x core1:x node0:s core0:x core1:x node1:s rack0:s "
              "cluster0:s");
    EXPECT_EQ(session.Allocate("slot[1]/core[1]"), "busy");
    EXPECT_TRUE(session.matcher.Cancel(session.job - 1));
    EXPECT_FALSE(session.matcher.Cancel(session.job - 1));
  }
}

TEST(Matcher, OverdueAllocationIsNotGivenAway) {
  Matcher matcher(Tree("cluster0/node0 core=1"), {.policy = Policy::kLow});
  const Jobspec core = Ask("slot[1]/core[1] for 10");
  EXPECT_EQ(Show(matcher.graph(), matcher.Run(1, core, MatchOp::kAllocate, 5)),
            "at 5: core0:x node0:s cluster0:s");
  EXPECT_EQ(matcher.Run(2, core, MatchOp::kAllocate, 60).outcome,
            MatchOutcome::kBusy);
  matcher.Cancel(1);
  EXPECT_EQ(matcher.Run(2, core, MatchOp::kAllocate, 60).outcome,
            MatchOutcome::kAllocated);
}

TEST(Matcher, DownVerticesAreLeftOutButCountForSatisfiability) {
  Session session(kTwoNodes);
  EXPECT_TRUE(session.matcher.SetUp("/cluster0/rack0/node0", false));
  EXPECT_FALSE(session.matcher.SetUp("/cluster0/rack0/node9", false));
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"),
            "core0:x node1:s rack0:s cluster0:s");
  EXPECT_EQ(session.Allocate("slot[2]/node[1]"), "busy");
  EXPECT_EQ(session.Run("node[2]/slot[1]/core[1]", MatchOp::kSatisfiability),
            "satisfiable");
  session.matcher.SetUp("/cluster0/rack0", false);
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"), "busy");
  session.matcher.SetUp("/cluster0/rack0", true);
  session.matcher.SetUp("/cluster0/rack0/node0", true);
  EXPECT_EQ(session.Allocate("slot[1]/core[1]"),
            "core0:x node0:s rack0:s cluster0:s");
}

TEST(Matcher, ConstraintsChooseNodes) {
  Session session(R"(
      cluster0/node0 core=1
      cluster0/node1 core=1 +ssd
      cluster0/node2 core=1 +ssd +slow)");
  const auto run = [&](const char* constraint) {
    Jobspec jobspec = Ask("slot[1]/core[1]");
    const std::string yaml =
        R"({version: 1, resources: [{type: node, count: 1}], tasks: [],
            attributes: {system: {constraints: )" +
        std::string(constraint) + "}}}";
    jobspec.constraint = ParseJobspec(yaml).constraint;
    const Match match =
        session.matcher.Run(++session.job, jobspec, MatchOp::kAllocate, 0);
    session.matcher.Cancel(session.job);
    return Show(session.matcher.graph(), match);
  };
  EXPECT_EQ(run(R"({properties: ["ssd"]})"), "core0:x node1:s cluster0:s");
  EXPECT_EQ(run(R"({properties: ["^ssd"]})"), "core0:x node0:s cluster0:s");
  EXPECT_EQ(run(R"({ranks: ["2-9"]})"), "core0:x node2:s cluster0:s");
  EXPECT_EQ(run(R"({hostlist: ["node[3-9]"]})"), "busy");
  EXPECT_EQ(run(R"({and: [{properties: ["ssd"]},
                          {not: [{hostlist: ["node1"]}]}]})"),
            "core0:x node2:s cluster0:s");
  EXPECT_EQ(run(R"({or: [{ranks: ["0"]}, {ranks: ["1"]}]})"),
            "core0:x node0:s cluster0:s");
  EXPECT_EQ(run("{}"), "core0:x node0:s cluster0:s");
}

TEST(Matcher, JobThatHoldsSomethingIsNotMatchedAgain) {
  Matcher matcher(Tree(kTwoNodes), {});
  const Jobspec core = Ask("slot[1]/core[1]");
  EXPECT_EQ(matcher.Run(1, core, MatchOp::kAllocate, 0).outcome,
            MatchOutcome::kAllocated);
  EXPECT_EQ(matcher.Run(1, core, MatchOp::kAllocate, 0).outcome,
            MatchOutcome::kInvalid);
}

TEST(Matcher, BadOptionsThrow) {
  EXPECT_THROW(Matcher(Tree(kTwoNodes), {.prune_filters = "core"}),
               std::invalid_argument);
  EXPECT_THROW(Matcher(Tree(kTwoNodes), {.prune_filters = "ALL:"}),
               std::invalid_argument);
  EXPECT_THROW(Matcher(Tree(kTwoNodes), {.start = 5, .end = 5}),
               std::invalid_argument);
}

TEST(Matcher, GraphWithoutVerticesHasNoRoom) {
  Matcher matcher(ResourceGraph(), {});
  EXPECT_EQ(
      matcher.Run(1, Ask("slot[1]/core[1]"), MatchOp::kAllocate, 0).outcome,
      MatchOutcome::kBusy);
}

}  // namespace
}  // namespace fluxnetes::matcher
