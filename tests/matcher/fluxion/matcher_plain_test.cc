// The matcher against the plain one: random games, compared answer by answer.
//
//   env FLUXNETES_TEST_SEED=7 matcher_tests --gtest_filter='MatcherAgainst*'
//
// plays one game. The long form (FLUXNETES_TEST_LONG=1) plays a million moves.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/matcher/fluxion/duel.h"

namespace fluxnetes::matcher {
namespace {

TEST(MatcherAgainstPlain, AnswersAreTheSame) {
  const char* only = std::getenv("FLUXNETES_TEST_SEED");
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const std::int64_t wanted = is_long ? 1'000'000 : 100'000;
  const unsigned first = only == nullptr ? 1 : std::stoul(only);
  const auto start = std::chrono::steady_clock::now();
  std::int64_t moves = 0;
  std::int64_t found = 0;
  unsigned seed = first;
  for (; only == nullptr ? moves < wanted : seed == first; ++seed) {
    Duel duel(seed);
    moves += duel.moves();
    const auto difference = duel.Fight();
    found += duel.found();
    ASSERT_FALSE(difference)
        << *difference << "\nTo repeat: env FLUXNETES_TEST_SEED=" << seed;
  }
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  std::printf(
      "%lld moves in the games of the seeds %u to %u, %.0f s; %lld "
      "matches found something\n",
      static_cast<long long>(moves), first, seed - 1, took.count(),
      static_cast<long long>(found));
  EXPECT_GT(found, moves / 10) << "the games are not worth playing";
}

}  // namespace
}  // namespace fluxnetes::matcher
