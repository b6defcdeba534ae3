// Properties of the matcher under random requests: nobody gets what another
// has, and what is given back is as if it had never been taken.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "matcher/find_expression.h"
#include "matcher/jgf.h"
#include "matcher/matcher.h"
#include "tests/matcher/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kPolicies[] = {
    "first",  "firstnodex", "low",     "high",     "lonode",
    "hinode", "lonodex",    "hinodex", "locality", "variation"};
constexpr const char* kAsks[] = {"slot[1]/core[1]",
                                 "slot[2]/core[2]",
                                 "slot[1]/node[1]",
                                 "node[1]/slot[1]/core[2],gpu[1]",
                                 "node[2]!",
                                 "rack[1]/slot[1]/node[1]",
                                 "slot[3]/memory[5]",
                                 "slot[1]/core[2],memory[1]",
                                 "rack[2]/node[1]/slot[1]/core[1]"};

class Game {
 public:
  explicit Game(unsigned seed) : random_(seed), matcher_(MakeMatcher()) {
    before_ = State();
  }

  void Play(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (Below(3) == 0 && !held_.empty()) {
        CancelOne();
      } else {
        AskOne();
      }
      ASSERT_NO_FATAL_FAILURE(CheckNobodyOverlaps());
    }
    ASSERT_NO_FATAL_FAILURE(CheckRebuiltIsTheSame());
    while (!held_.empty()) CancelOne();
    EXPECT_EQ(State(), before_);
  }

 private:
  int Below(int most) {
    return std::uniform_int_distribution<int>(0, most - 1)(random_);
  }

  Matcher MakeMatcher() {
    std::string picture;
    const int racks = 1 + Below(3);
    for (int r = 0; r < racks; ++r) {
      const int nodes = 1 + Below(4);
      for (int n = 0; n < nodes; ++n) {
        picture += "cluster0/rack" + std::to_string(r) + "/node" +
                   std::to_string(10 * r + n) +
                   " core=" + std::to_string(1 + Below(4)) +
                   " gpu=" + std::to_string(Below(2)) +
                   " memory=" + std::to_string(1 + Below(3)) + "*4\n";
      }
    }
    picture_ = picture;
    policy_ = *MatchPolicy::Parse(kPolicies[Below(std::size(kPolicies))]);
    return Matcher(Tree(picture), {.policy = policy_});
  }

  void AskOne() {
    const std::string ask = std::string(kAsks[Below(std::size(kAsks))]) +
                            " for " + std::to_string(10 * (1 + Below(5)));
    const auto op =
        Below(2) == 0 ? MatchOp::kAllocate : MatchOp::kAllocateOrElseReserve;
    Match match = matcher_.Run(++last_job_, Ask(ask), op, 0);
    if (match.found()) held_[last_job_] = std::move(match);
  }

  void CancelOne() {
    const auto which = std::next(held_.begin(), Below(held_.size()));
    EXPECT_TRUE(matcher_.Cancel(which->first));
    held_.erase(which);
  }

  // A vertex that a job has alone is nobody else's, not even in part.
  void CheckNobodyOverlaps() {
    struct Use {
      JobId job;
      Time start;
      Time end;
      bool exclusive;
    };
    std::map<VertexIndex, std::vector<Use>> uses;
    for (const auto& [job, match] : held_) {
      for (const Taken& taken : match.taken) {
        const Use use{job, match.at, match.at + match.duration,
                      taken.exclusive};
        for (const Use& other : uses[taken.vertex]) {
          const bool meet = use.start < other.end && other.start < use.end;
          ASSERT_FALSE(meet && (use.exclusive || other.exclusive))
              << matcher_.graph().Path(taken.vertex) << " of jobs " << job
              << " and " << other.job;
        }
        uses[taken.vertex].push_back(use);
      }
    }
  }

  // Restored from what was written of them, the jobs stand as they did.
  void CheckRebuiltIsTheSame() {
    Matcher rebuilt(Tree(picture_), {.policy = policy_});
    for (const auto& [job, match] : held_) {
      const std::string r = WriteJgf(matcher_.graph(), match.taken);
      const Match restored = rebuilt.Restore(
          job, FindJgf(r, rebuilt.graph(), false),
          match.outcome == MatchOutcome::kReserved, match.at, match.duration);
      ASSERT_TRUE(restored.found()) << restored.error;
    }
    EXPECT_EQ(State(rebuilt), State());
  }

  std::string State() const { return State(matcher_); }
  static std::string State(const Matcher& matcher) {
    std::string state;
    for (const char* text :
         {"sched-now=free", "sched-future=free", "agfilter=true"}) {
      const auto expression = FindExpression::Parse(text);
      state += WriteJgf(matcher.graph(), expression->Find(matcher, 0));
    }
    return state;
  }

  std::mt19937 random_;
  std::string picture_;
  MatchPolicy policy_;
  Matcher matcher_;
  std::map<JobId, Match> held_;
  JobId last_job_ = 0;
  std::string before_;
};

TEST(MatcherRandom, JobsNeverOverlapAndLeaveNothingBehind) {
  const int games = std::getenv("FLUXNETES_TEST_LONG") != nullptr ? 5000 : 150;
  for (int seed = 1; seed <= games; ++seed) {
    SCOPED_TRACE(seed);
    Game(static_cast<unsigned>(seed)).Play(30);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
