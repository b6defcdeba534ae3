// Random rounds, each checked at its end. A failing round prints its seed:
//
//   env FLUXNETES_TEST_SEED=7 queue_tests --gtest_filter='HistoryRuns.*'
//
// The long form (FLUXNETES_TEST_LONG=1) has a thousand rounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/queue/history/history_run.h"

namespace fluxnetes::queue {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Killing the server loses nothing handed to the kernel, so no sync is needed.
const std::vector<std::string> kSettings = {"fsync=off", "max_connections=200"};

unsigned Setting(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr
             ? otherwise
             : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

using Counts = std::map<std::string, int>;

void Add(Counts& sum, const Counts& counts) {
  for (const auto& [name, count] : counts) sum[name] += count;
}

void Tell(const Counts& counts) {
  for (const auto& [name, count] : counts)
    std::cout << "  " << name << ": " << count << '\n';
}

// Runs a round; returns whether its history is valid.
bool Round(testing::PrivateServer& server, const RoundOptions& options,
           Counts& sum) {
  HistoryRun run(server, options);
  const auto violations = run.Run();
  Add(sum, run.counts());
  for (const std::string& violation : violations)
    ADD_FAILURE() << "seed " << options.seed << ": " << violation;
  return violations.empty();
}

// Not in every round: the server takes seconds to come back.
ServerFault FaultOf(unsigned seed) {
  if (seed % 5 != 0) return ServerFault::kNone;
  return seed % 2 == 0 ? ServerFault::kKilled : ServerFault::kStoppedAtOnce;
}

TEST(HistoryRuns, KeepEveryPromiseUnderKillsOfClientsConnectionsAndServer) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const unsigned only = Setting("FLUXNETES_TEST_SEED", 0);
  const unsigned first = only != 0 ? only : 1;
  const unsigned rounds =
      Setting("FLUXNETES_TEST_ROUNDS", is_long ? 1'000 : 20);
  const unsigned last = only != 0 ? only : rounds;
  testing::PrivateServer server(kSettings);
  Counts sum;
  for (unsigned seed = first; seed <= last; ++seed)
    if (!Round(server, {.seed = seed, .server = FaultOf(seed)}, sum)) break;
  Tell(sum);
}

TEST(HistoryRuns, SixteenProcessesAtOnceShareNoAttempt) {
  testing::PrivateServer server(kSettings);
  Counts sum;
  Round(server,
        {.seed = 16,
         .processes = 16,
         .faults = 8,
         .server = ServerFault::kKilled},
        sum);
  Tell(sum);
}

// Whether a violation is found in one of several rounds: a process killed
// before it recorded a result leaves no evidence of it.
bool IsFound(const std::string& sabotage, const std::string& violation) {
  testing::PrivateServer server(kSettings);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    HistoryRun run(server, {.seed = seed, .faults = 0, .sabotage = sabotage});
    if (::testing::Value(run.Run(), Contains(HasSubstr(violation))))
      return true;
  }
  return false;
}

// The rounds would find each violation of the guarantees.
TEST(HistoryRuns, FindAJobThatIsLost) {
  EXPECT_TRUE(
      IsFound("DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 1) "
              "RETURNING id",
              "acknowledged and is lost"));
}

TEST(HistoryRuns, FindAnAttemptThatTwoHave) {
  EXPECT_TRUE(
      IsFound("UPDATE jobs SET state = 'available', attempt = attempt - 1, "
              "client_id = NULL WHERE id IN (SELECT id FROM jobs WHERE state = "
              "'running' LIMIT 1) RETURNING id",
              "leased twice"));
}

}  // namespace
}  // namespace fluxnetes::queue
