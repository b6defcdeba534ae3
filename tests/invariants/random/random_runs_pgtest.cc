// Random runs of the whole system, checked after every step. A failing run
// prints how to repeat it:
//
//   env FLUXNETES_TEST_SEED=7 FLUXNETES_TEST_STEPS=90 invariants_tests
//     --gtest_filter=RandomRuns.*
//
// The long form (FLUXNETES_TEST_LONG=1) makes many more and longer runs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/invariants/random/random_run.h"

namespace fluxnetes::testing {
namespace {

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(RandomRuns, KeepWhatAlwaysHoldsAndLeaveNothingBehind) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const std::uint64_t only = Setting("FLUXNETES_TEST_SEED", 0);
  const std::uint64_t first = only != 0 ? only : 1;
  const std::uint64_t last = only != 0 ? only : is_long ? 60 : 6;
  const auto steps =
      static_cast<int>(Setting("FLUXNETES_TEST_STEPS", is_long ? 1'000 : 60));
  const auto patience = std::chrono::steady_clock::now() +
                        std::chrono::seconds(is_long ? 7'200 : 50);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    RandomRun run(seed);
    if (!run.Run(steps)) {
      FAIL() << run.Report() << "To repeat: env FLUXNETES_TEST_SEED=" << seed
             << " FLUXNETES_TEST_STEPS=" << steps
             << " invariants_tests --gtest_filter='RandomRuns.*'";
    }
    EXPECT_GT(run.strict(), run.steps() / 2);
    std::cout << "seed " << seed << ": " << run.steps() << " steps, "
              << run.submitted() << " groups submitted, " << run.strict()
              << " strict checks\n";
    if (only == 0 && std::chrono::steady_clock::now() > patience) break;
  }
}

}  // namespace
}  // namespace fluxnetes::testing
