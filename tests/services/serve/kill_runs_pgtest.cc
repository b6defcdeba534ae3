// The scheduler is killed at each failpoint, and at random times. The next
// process finishes the work, and the cluster's state shows no trace of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/services/support/deployment.h"
#include "tests/services/support/failpoints.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::WaitUntil;

void SkipWithoutFaults() {
#ifndef FLUXNETES_FAULTS
  GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
}

class KillRun : public ::testing::Test {
 protected:
  void ExpectCleanEnd() {
    EXPECT_TRUE(world_.WaitForEnd()) << world_.Leftovers() << "\n"
                                     << world_.Log();
    EXPECT_EQ(world_.ViolationsAtEnd(), "") << world_.Log();
  }

  testing::TestDatabase database_;
  Deployment world_{database_.options()};
};

class KilledAt : public KillRun,
                 public ::testing::WithParamInterface<std::string> {};

TEST_P(KilledAt, LosesNothing) {
  SkipWithoutFaults();
  if (IsSkipped()) return;
  auto serve = world_.ServeWithFailpoint(GetParam());
  const bool of_part =
      GetParam().starts_with("news-") || GetParam().starts_with("makers-");
  // Incomplete, so it waits long enough.
  if (of_part) world_.SubmitPods("part", 2, 1);
  world_.SubmitMixed("w");
  WaitUntil(seconds(60),
            [&] { return serve->HasEnded() || world_.WaitForEnd(seconds(0)); });
  if (!serve->HasEnded()) world_.TearAGang();
  ASSERT_EQ(serve->WaitForEnd(seconds(60)), -SIGKILL)
      << "nothing came by this failpoint\n"
      << world_.Log();
  EXPECT_EQ(world_.Violations(), "");
  world_.SetFaults({{"clear", true}});
  serve = world_.Serve();
  if (of_part) world_.SubmitPods("part", 2, 1);
  ExpectCleanEnd();
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledAt,
                         ::testing::ValuesIn(FailpointsOfPlainGroups()),
                         [](const auto& instance) {
                           return TestNameOf(instance.param);
                         });

TEST_F(KillRun, KilledBetweenTwoBindingsOfAGangTheRestFollows) {
  auto serve = world_.Serve();
  for (const char* pod : {"half-2/binding", "half-3/binding"})
    world_.SetFaults(
        {{"requests", {{{"status", 503}, {"count", 9'999}, {"path", pod}}}}});
  world_.SubmitPods("half", 4);
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return world_.Bindings() == 2; }))
      << world_.Log();
  serve->Kill();
  EXPECT_EQ(world_.Bindings(), 2U);
  world_.SetFaults({{"clear", true}});
  serve = world_.Serve();
  ExpectCleanEnd();
}

TEST_F(KillRun, GroupThatWaitsOutlivesAnyNumberOfDeaths) {
  world_.Submit("blocks", {.size = 4, .seconds = 9'999, .cpu = 4});
  auto serve = world_.Serve();
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return world_.Bindings() == 4; }));
  world_.Submit("waits", {.size = 4});
  const auto leased = [this] {
    return world_.Ask(
        "SELECT id FROM jobs WHERE state = 'running' AND kind = 'match'");
  };
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return !leased().empty(); }));
  serve->Kill();
  // The attempts of a scheduler that crashes at each start for minutes.
  world_.Ask(
      "UPDATE jobs SET attempt = least(100, max_attempts) WHERE kind = "
      "'match'");
  serve = world_.Serve();
  ASSERT_TRUE(WaitUntil(
      kPatience,
      [&] {
        return world_.Ask("SELECT count(*) FROM jobs WHERE attempt > 100") ==
               "1";
      }))
      << world_.Ask(
             "SELECT state FROM jobs_finished WHERE kind = 'match' "
             "ORDER BY id DESC");
  world_.Delete("/apis/batch/v1/namespaces/default/jobs/blocks");
  EXPECT_TRUE(WaitUntil(kPatience, [&] { return world_.Bindings() == 8; }))
      << world_.Log();
}

// The short form runs a few rounds, the long form many.
TEST_F(KillRun, KilledAtAnyTimeLosesNothing) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const char* given = std::getenv("FLUXNETES_TEST_SEED");
  const unsigned seed = given == nullptr ? 1 : std::stoul(given);
  SCOPED_TRACE(fmt::format("repeat with FLUXNETES_TEST_SEED={}", seed));
  std::mt19937 random(seed);
  for (int round = 0; round < (is_long ? 200 : 8); ++round) {
    const auto serve = world_.Serve();
    world_.SubmitMixed(fmt::format("r{}", round));
    const milliseconds life(100 + random() % 1'500);
    EXPECT_EQ(serve->WaitForEnd(life), std::nullopt) << world_.Log();
    serve->Kill();
    ASSERT_EQ(world_.Violations(), "") << "round " << round;
  }
  const auto serve = world_.Serve();
  EXPECT_TRUE(world_.WaitForEnd(seconds(is_long ? 600 : 180)))
      << world_.Leftovers() << "\n"
      << world_.Log();
  EXPECT_EQ(world_.ViolationsAtEnd(), "") << world_.Log();
}

}  // namespace
}  // namespace fluxnetes::services
