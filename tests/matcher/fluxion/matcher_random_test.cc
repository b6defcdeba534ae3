// Properties of the matcher under random requests.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>

#include "matcher/readers/jgf.h"
#include "tests/matcher/fluxion/matcher_game.h"
#include "tests/matcher/random/random_jobspec.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

void PlayMany(int games, const std::function<void(MatcherGame&)>& play) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  for (int seed = 1; seed <= games * (is_long ? 40 : 1); ++seed) {
    SCOPED_TRACE(seed);
    MatcherGame game(static_cast<unsigned>(seed));
    play(game);
    if (::testing::Test::HasFailure()) return;
  }
}

// Lets jobs come and go; at the end some remain.
void Mix(MatcherGame& game, int steps) {
  for (int i = 0; i < steps; ++i) {
    if (game.random.OneIn(3) && !game.held.empty()) {
      game.Cancel(game.AnyJob());
    } else {
      game.Ask();
    }
  }
}

// Expects that no other job has a vertex, or one below it, while a job has it
// exclusively.
void ExpectNobodyOverlaps(const MatcherGame& game) {
  struct Use {
    JobId job;
    Time start;
    Time end;
    bool exclusive;
  };
  const ResourceGraph& graph = game.matcher.graph();
  std::map<VertexIndex, std::vector<Use>> uses;
  for (const auto& [job, match] : game.held) {
    for (const Taken& taken : match.taken) {
      uses[taken.vertex].push_back(
          {job, match.at, match.at + match.duration, taken.exclusive});
    }
  }
  for (const auto& [v, of_vertex] : uses) {
    for (const Use& use : of_vertex) {
      for (VertexIndex up = v; up != kNoVertex; up = graph.parent(up)) {
        for (const Use& other : uses[up]) {
          const bool meet = use.job != other.job && use.start < other.end &&
                            other.start < use.end;
          const bool alone = other.exclusive || (up == v && use.exclusive);
          ASSERT_FALSE(meet && alone)
              << graph.Path(v) << " of job " << use.job << " and "
              << graph.Path(up) << " of job " << other.job;
        }
      }
    }
  }
}

TEST(MatcherRandom, WhatIsAllocatedNeverOverlaps) {
  PlayMany(300, [](MatcherGame& game) {
    for (int i = 0; i < 10; ++i) {
      Mix(game, 3);
      ASSERT_NO_FATAL_FAILURE(ExpectNobodyOverlaps(game));
    }
  });
}

TEST(MatcherRandom, CancelRestoresTheStateBefore) {
  PlayMany(300, [](MatcherGame& game) {
    Mix(game, game.random.Below(25));
    const auto before = game.State();
    std::set<JobId> jobs;
    for (int i = game.random.Between(1, 6); i > 0; --i) {
      if (const JobId job = game.Ask()) jobs.insert(job);
    }
    while (!jobs.empty()) {
      const auto job = std::next(
          jobs.begin(), game.random.Below(static_cast<int>(jobs.size())));
      game.Cancel(*job);
      jobs.erase(job);
    }
    ASSERT_EQ(game.State(), before);
  });
}

TEST(MatcherRandom, EmptiedMatcherIsAsNew) {
  PlayMany(150, [](MatcherGame& game) {
    Mix(game, 30);
    while (!game.held.empty()) game.Cancel(game.AnyJob());
    ASSERT_EQ(game.State(), game.State(game.Empty()));
  });
}

// Two games that differ only in the order of cancels go on alike.
TEST(MatcherRandom, OrderOfUnrelatedCancelsDoesNotMatter) {
  int seed = 0;
  PlayMany(200, [&seed](MatcherGame& game) {
    MatcherGame other(static_cast<unsigned>(++seed));
    const int steps = game.random.Below(40);
    other.random.Below(40);
    Mix(game, steps);
    Mix(other, steps);
    ASSERT_EQ(game.State(), other.State());
    std::vector<JobId> jobs;
    for (const auto& [job, match] : game.held) {
      if (job % 2 == 0) jobs.push_back(job);
    }
    for (const JobId job : jobs) game.Cancel(job);
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
      other.Cancel(*job);
    }
    ASSERT_EQ(game.State(), other.State());
    for (int i = 0; i < 5; ++i) {
      const JobId job = game.Ask();
      ASSERT_EQ(other.Ask(), job);
      if (job == 0) continue;
      ASSERT_EQ(Show(game.matcher.graph(), game.held[job]),
                Show(other.matcher.graph(), other.held[job]));
    }
  });
}

// Fluxion looks for a reservation only at moments at which something starts or
// ends. Nothing changes between them, so no other time may be earlier. This
// tries all times, one by one, on a matcher in which all jobs are reservations
// (an allocation would keep its vertices after its end). `first` is left out,
// since what it finds depends on what it visited before.
TEST(MatcherRandom, ReservationIsTheEarliestTimeThereIs) {
  int reserved = 0;
  PlayMany(400, [&reserved](MatcherGame& game) {
    if (game.policy.starts_with("first")) return;
    Mix(game, 25);
    Matcher copy = game.Empty();
    Time last = 0;
    for (const auto& [job, match] : game.held) {
      const std::string r = WriteJgf(game.matcher.graph(), match.taken);
      ASSERT_TRUE(copy.Restore(job, FindJgf(r, copy.graph(), false), true,
                               match.at, match.duration)
                      .found());
      last = std::max(last, match.at + match.duration);
    }
    const Jobspec jobspec = game.AnyJobspec();
    const Match match =
        game.matcher.Run(1'000, jobspec, MatchOp::kWithoutAllocatingFuture, 0);
    const bool now = match.found() && match.at == 0;
    if (now || match.outcome == MatchOutcome::kInvalid) return;
    std::optional<Time> earliest;
    for (Time at = 1; at <= last && !earliest; ++at) {
      if (copy.Run(1'000, jobspec, MatchOp::kWithoutAllocating, at).found()) {
        earliest = at;
      }
    }
    ASSERT_EQ(match.found() ? std::optional(match.at) : std::nullopt, earliest)
        << Show(jobspec) << " under " << game.policy << ": "
        << Show(game.matcher.graph(), match) << "\n"
        << game.State();
    reserved += match.found() ? 1 : 0;
  });
  EXPECT_GT(reserved, 20) << "too little was tried";
}

TEST(MatcherRandom, RebuiltFromItsAllocationsIsTheSame) {
  PlayMany(200, [](MatcherGame& game) {
    Mix(game, 30);
    Matcher rebuilt = game.Empty();
    for (const auto& [job, match] : game.held) {
      const std::string r = WriteJgf(game.matcher.graph(), match.taken);
      const Match restored = rebuilt.Restore(
          job, FindJgf(r, rebuilt.graph(), false),
          match.outcome == MatchOutcome::kReserved, match.at, match.duration);
      ASSERT_TRUE(restored.found()) << restored.error;
      ASSERT_EQ(Show(rebuilt.graph(), restored),
                Show(game.matcher.graph(), match));
    }
    ASSERT_EQ(game.State(rebuilt), game.State());
    // It also answers alike; `first` does not, since it weighs what it took
    // itself.
    if (game.policy.starts_with("first")) return;
    for (int i = 0; i < 5; ++i) {
      const Jobspec jobspec = game.AnyJobspec();
      const auto look = [&](Matcher& matcher) {
        return Show(
            matcher.graph(),
            matcher.Run(1'000, jobspec, MatchOp::kWithoutAllocatingFuture, 0));
      };
      ASSERT_EQ(look(rebuilt), look(game.matcher));
    }
  });
}

}  // namespace
}  // namespace fluxnetes::matcher
