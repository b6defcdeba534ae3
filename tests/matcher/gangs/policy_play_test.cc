// NodeGraph gives the answers of Fluxion's matcher, under every policy.
//
//   env FLUXNETES_TEST_SEED=7 matcher_tests --gtest_filter='*EqualAnswers*'
//
// plays one game of each policy. The long form (FLUXNETES_TEST_LONG=1) makes
// ten million moves.
#include "tests/matcher/gangs/policy_play.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace fluxnetes::matcher {
namespace {

constexpr int kMovesOfAGame = 200;

class EqualAnswers : public ::testing::TestWithParam<const char*> {
 protected:
  // Adds up what the play did.
  void Note(const PolicyPlay::Counts& counts) {
    sum_.moves += counts.moves;
    sum_.found += counts.found;
    sum_.reserved += counts.reserved;
    sum_.equals += counts.equals;
    sum_.by_number += counts.by_number;
    sum_.visited += counts.visited;
    sum_.by_end += counts.by_end;
    sum_.tasks += counts.tasks;
  }

  PolicyPlay::Counts sum_;
};

TEST_P(EqualAnswers, SameNodesAndSameStart) {
  const Policy policy = *ParsePolicy(GetParam());
  const char* only = std::getenv("FLUXNETES_TEST_SEED");
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const std::int64_t wanted = is_long ? 1'000'000 : 8'000;
  const unsigned first = only == nullptr ? 1 : std::stoul(only);
  for (unsigned seed = first;
       only == nullptr ? sum_.moves < wanted : seed == first; ++seed) {
    PolicyPlay play(seed, policy);
    const auto difference = play.Play(kMovesOfAGame);
    ASSERT_FALSE(difference)
        << *difference << "\nTo repeat: env FLUXNETES_TEST_SEED=" << seed;
    Note(play.counts());
  }
  std::printf(
      "%s: %lld moves, %lld matches found nodes, %lld of them later; %lld "
      "chose among equals, %lld by number, %lld among what was visited, %lld "
      "at the end of a job that was parted; %lld tasks ended early\n",
      GetParam(), static_cast<long long>(sum_.moves),
      static_cast<long long>(sum_.found), static_cast<long long>(sum_.reserved),
      static_cast<long long>(sum_.equals),
      static_cast<long long>(sum_.by_number),
      static_cast<long long>(sum_.visited), static_cast<long long>(sum_.by_end),
      static_cast<long long>(sum_.tasks));
  if (only != nullptr) return;
  EXPECT_GT(sum_.found, sum_.moves / 5) << "the games are not worth playing";
  EXPECT_LT(sum_.equals, sum_.found / 10);
  EXPECT_LT(sum_.by_number, sum_.found / 20);
  EXPECT_LT(sum_.visited, sum_.found / 2);
  EXPECT_LT(sum_.by_end, sum_.found / 20);
  if (!policy.stop_on_match) {
    EXPECT_GT(sum_.tasks, sum_.moves / 50);
  }
}

TEST_P(EqualAnswers, PlantedFaultIsFound) {
  const Policy policy = *ParsePolicy(GetParam());
  for (const PlayFault fault :
       {PlayFault::kOtherPolicy, PlayFault::kLostCancel, PlayFault::kLostGrowth,
        PlayFault::kLostShrink, PlayFault::kShortWindow,
        PlayFault::kLostTask}) {
    // On a graph without jobs a window has no end, and no task ends.
    if (policy.stop_on_match &&
        (fault == PlayFault::kShortWindow || fault == PlayFault::kLostTask)) {
      continue;
    }
    bool found = false;
    for (unsigned seed = 1; seed <= 20 && !found; ++seed)
      found = PolicyPlay(seed, policy, fault).Play(kMovesOfAGame).has_value();
    EXPECT_TRUE(found) << static_cast<int>(fault);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EqualAnswers,
                         ::testing::Values("first", "firstnodex", "low", "high",
                                           "lonode", "hinode", "lonodex",
                                           "hinodex", "locality", "variation"));

INSTANTIATE_TEST_SUITE_P(
    Composed, EqualAnswers,
    ::testing::Values("policy=low node_exclusive=true",
                      "policy=high node_exclusive=true",
                      "policy=low node_exclusive=true stop_on_1_matches=true",
                      "policy=low stop_on_1_matches=true",
                      "policy=high stop_on_1_matches=true",
                      "policy=low node_centric=true node_exclusive=true "
                      "stop_on_1_matches=true"));

}  // namespace
}  // namespace fluxnetes::matcher
