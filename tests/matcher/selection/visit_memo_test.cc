#include "matcher/selection/visit_memo.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "matcher/fluxion/matcher.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kTwoRacksOfNodes = R"(
    cluster0/rack0/node0 core=2
    cluster0/rack0/node1 core=2
    cluster0/rack1/node2 core=2)";

// A memo of the request "core" and the parts that it is made of.
class Fixture {
 public:
  Fixture()
      : graph(Tree(kTwoRacksOfNodes)),
        filters("ALL:core", graph),
        spec(Ask("core[1]")),
        request(*MakeJobRequest(spec, false, graph, filters)),
        memo(request, {}) {
    memo.CatchUp(graph, log);
  }

  VertexIndex At(std::string_view path) const {
    return graph.Find(path).value();
  }
  void Keep(VertexIndex v) {
    memo.Keep(v, {}, true, {1, 1, 0, 1}, nullptr, {{graph.FirstIn(v), 1}});
  }
  bool Knows(std::string_view path) { return memo.Find(At(path)) != nullptr; }
  void KeepAll() {
    for (const char* path : kInner) Keep(At(path));
  }
  // Lists what is known, by the last part of the path.
  std::string Known() {
    std::string known;
    for (const std::string path : kInner) {
      if (Knows(path)) known += path.substr(path.rfind('/') + 1) + ' ';
    }
    return known;
  }

  static constexpr const char* kInner[] = {
      "/cluster0/rack0", "/cluster0/rack1", "/cluster0/rack0/node0",
      "/cluster0/rack0/node1", "/cluster0/rack1/node2"};

  ResourceGraph graph;
  PruningFilters filters;
  Jobspec spec;
  JobRequest request;
  TouchLog log;
  VisitMemo memo;
};

TEST(VisitMemo, TouchDropsWhatIsAbove) {
  Fixture f;
  f.KeepAll();
  EXPECT_EQ(f.Known(), "rack0 rack1 node0 node1 node2 ");
  f.log.Add({f.At("/cluster0/rack0/node1/core0"), false, true});
  f.memo.CatchUp(f.graph, f.log);
  EXPECT_EQ(f.Known(), "rack1 node0 node2 ");
}

TEST(VisitMemo, TouchOfAWholeVertexDropsWhatIsBelowToo) {
  Fixture f;
  f.KeepAll();
  f.log.Add({f.At("/cluster0/rack0"), true, true});
  f.memo.CatchUp(f.graph, f.log);
  EXPECT_EQ(f.Known(), "rack1 node2 ");
}

TEST(VisitMemo, LogThatHasLostTouchesDropsAll) {
  Fixture f;
  f.KeepAll();
  for (int i = 0; i <= 1 << 18; ++i) f.log.Add({f.At("/cluster0/rack1")});
  f.memo.CatchUp(f.graph, f.log);
  EXPECT_EQ(f.Known(), "");
}

TEST(VisitMemo, ServesTheSameRequestAtTheSameMoment) {
  Fixture f;
  EXPECT_TRUE(f.memo.Serves(f.request, {}));
  EXPECT_FALSE(f.memo.Serves(f.request, {.at = 5}));
  EXPECT_FALSE(f.memo.Serves(f.request, {.status = false}));
  const Jobspec two = Ask("core[2]");
  const auto other = *MakeJobRequest(two, false, f.graph, f.filters);
  EXPECT_FALSE(f.memo.Serves(other, {}));
  const auto flexible = *MakeJobRequest(f.spec, true, f.graph, f.filters);
  EXPECT_FALSE(f.memo.Serves(flexible, {}));
}

TEST(VisitMemo, ChoicesOfAVertexOutliveThoseOfOthers) {
  Fixture f;
  const VertexIndex node0 = f.At("/cluster0/rack0/node0");
  const VertexIndex node1 = f.At("/cluster0/rack0/node1");
  for (int round = 1; round <= 4; ++round) {
    Scoreboard below;
    std::vector<Choice> choices = {{7, 1, false}};
    for (int c = 1; c <= round; ++c) {
      below.Add(types::kCore, {c, 1, c, 1});
      choices.push_back({10 * round + c, 1, true});
    }
    f.memo.Keep(node0, {}, true, {1, 1, 0, 1}, &below, choices);
    if (round == 1) {
      f.memo.Keep(node1, {}, true, {1, 1, 0, 1}, &below, choices);
    }
    const auto& kept = *f.memo.Find(node0)->below.Find(types::kCore);
    ASSERT_EQ(kept.candidates.size(), static_cast<std::size_t>(round));
    for (int c = 1; c <= round; ++c) {
      EXPECT_EQ(f.memo.ChoiceOf(kept.candidates[c - 1], 0).edge,
                10 * round + c);
    }
  }
  const auto& other = *f.memo.Find(node1)->below.Find(types::kCore);
  EXPECT_EQ(f.memo.ChoiceOf(other.candidates[0], 0).edge, 11);
}

// Returns the jobspec with up to 4 of the type instead of one.
Jobspec UpToFour(Jobspec spec, std::string_view type) {
  for (JobResource& resource : spec.resources) {
    if (resource.type == type) resource.count.max = 4;
  }
  return spec;
}

// Shapes that have no shortlist. The first walk only notes the request, the
// second keeps what it finds.
TEST(VisitMemo, ThirdWalkVisitsOnlyWhatTheSecondHasTaken) {
  const auto visits = [](int nodes, const char* policy, const Jobspec& ask) {
    std::string picture;
    for (int n = 0; n < nodes; ++n) {
      picture += fmt::format("cluster0/rack{}/node{} core=8 gpu=2\n", n / 8, n);
    }
    Matcher matcher(Tree(picture), {.policy = *ParsePolicy(policy)});
    Match match;
    for (JobId job = 1; job <= 3; ++job) {
      match = matcher.Run(job, ask, MatchOp::kAllocate, 0);
      EXPECT_TRUE(match.found()) << policy;
    }
    return match.visits;
  };
  for (const char* policy : {"locality", "variation", "low", "hinode"}) {
    for (const Jobspec& ask :
         {Ask("core[1]!,gpu[1]!"), UpToFour(Ask("slot[1]/core[1]"), "core"),
          UpToFour(Ask("node[1]/slot[1]/core[8]"), "node")}) {
      EXPECT_LE(visits(256, policy, ask), visits(32, policy, ask) + 64)
          << policy << ' ' << ask.resources[0].type;
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
