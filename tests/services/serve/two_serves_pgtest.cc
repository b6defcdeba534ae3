// Two schedulers on one database: one owns the queue, the other takes over when
// the first dies, stops or is suspended too long; nothing is done twice.
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
using std::chrono::steady_clock;
using testing::Process;
using testing::WaitUntil;

// The longest takeover in seconds; sanitizers need more.
#ifdef FLUXNETES_SANITIZED
constexpr double kAsPromised = 30;
#else
constexpr double kAsPromised = 5;
#endif

class TwoServes : public ::testing::Test {
 protected:
  // The settings of a scheduler that must not be considered dead on a busy
  // machine.
  static std::map<std::string, std::string> Calm() {
    return {{"FLUXNETES_CLIENT_TTL", "5s"},
            {"FLUXNETES_CLIENT_HEARTBEAT", "200ms"}};
  }
  // Returns the process that owns the match; null: neither.
  Process* OwnerOf(Process& a, Process& b) {
    const std::string name = world_.Ask(
        "SELECT c.name FROM leaders AS l JOIN clients AS c "
        "ON c.id = l.client_id WHERE l.name = 'match:default'");
    for (Process* one : {&a, &b})
      if (name.ends_with(":" + std::to_string(one->id()))) return one;
    return nullptr;
  }
  int Term() {
    return std::stoi(
        world_.Ask("SELECT term FROM leaders WHERE name = 'match:default'"));
  }
  // Waits until the pod of a new Job is bound. Pods matched before may be bound
  // without an owner of the match.
  milliseconds TimeToBind(const std::string& job) {
    const auto from = steady_clock::now();
    world_.Submit(job, {});
    EXPECT_TRUE(WaitUntil(seconds(60), [&] {
      const nlohmann::json truth = world_.Truth();
      for (const nlohmann::json& pod : truth["pods"]) {
        const auto name = pod["metadata"]["name"].get<std::string>();
        if (name.starts_with(job + "-") && pod["spec"].contains("nodeName"))
          return true;
      }
      return false;
    })) << world_.Log();
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - from);
  }
  void ExpectCleanEnd() {
    EXPECT_TRUE(world_.WaitForEnd()) << world_.Leftovers() << "\n"
                                     << world_.Log();
    EXPECT_EQ(world_.ViolationsAtEnd(), "") << world_.Log();
  }

  testing::TestDatabase database_;
  Deployment world_{database_.options()};
};

TEST_F(TwoServes, OneOwnsAndTheOtherTakesOverWhenItIsKilled) {
  const auto a = world_.Serve(Calm());
  const auto b = world_.Serve(Calm());
  world_.SubmitMixed("before");
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return world_.Bindings() > 6; }));
  Process* const owner = OwnerOf(*a, *b);
  ASSERT_NE(owner, nullptr);
  const int term = Term();
  owner->Kill();
  const auto took = TimeToBind("after");
  RecordProperty("takeover_milliseconds", static_cast<int>(took.count()));
  EXPECT_LT(took, seconds(30));
  // By more than one if the new owner has restarted meanwhile.
  EXPECT_GT(Term(), term);
  Process* const other = owner == a.get() ? b.get() : a.get();
  EXPECT_TRUE(WaitUntil(kPatience, [&] { return OwnerOf(*a, *b) == other; }));
  ExpectCleanEnd();
}

// The default settings of users, measured by the rows. The machine may be busy
// for a moment, so one of three takeovers must be as quick as documented.
TEST_F(TwoServes, AllThatTheDeadOneLedIsLedAgainInLessThanFiveSeconds) {
  const std::map<std::string, std::string> usual = {
      {"FLUXNETES_CLIENT_TTL", "3s"}, {"FLUXNETES_CLIENT_HEARTBEAT", "1s"}};
  const auto leads = [&](const Process& one) {
    return world_.Ask(
               "SELECT count(*) FROM leaders AS l JOIN clients AS c "
               "ON c.id = l.client_id WHERE c.name LIKE '%:" +
               std::to_string(one.id()) + "'") == "3";
  };
  const auto is_replica = [&](const Process& one) {
    return world_.Ask(
               "SELECT count(*) FROM match_replicas AS r JOIN clients AS c "
               "ON c.id = r.client_id WHERE c.name LIKE '%:" +
               std::to_string(one.id()) + "'") == "1";
  };
  auto leader = world_.Serve(usual);
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return leads(*leader); }))
      << world_.Log();
  double least = kAsPromised;
  for (int i = 0; i < 3 && least >= kAsPromised; ++i) {
    auto next = world_.Serve(usual);
    ASSERT_TRUE(WaitUntil(kPatience, [&] { return is_replica(*next); }))
        << world_.Log();
    const std::string died = world_.Ask("SELECT clock_timestamp()::text");
    leader->Kill();
    // On a slow machine it may have taken over one or two before.
    ASSERT_TRUE(WaitUntil(kPatience, [&] { return leads(*next); }))
        << world_.Log();
    const auto took =
        std::stod(world_.Ask("SELECT max(extract(epoch FROM acquired_at - '" +
                             died + "')) FROM leaders"));
    EXPECT_GT(took, 0);
    RecordProperty("takeover_seconds", fmt::format("{:.2f}", took));
    least = std::min(least, took);
    leader = std::move(next);
  }
  EXPECT_LT(least, kAsPromised);
}

TEST_F(TwoServes, OneThatStopsInOrderHandsOverWithoutWaitingToBeMissed) {
  const std::map<std::string, std::string> patient = {
      {"FLUXNETES_CLIENT_TTL", "60s"}, {"FLUXNETES_CLIENT_HEARTBEAT", "1s"}};
  const auto a = world_.Serve(patient);
  const auto b = world_.Serve(patient);
  world_.SubmitMixed("before");
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return world_.Bindings() > 6; }));
  Process* const owner = OwnerOf(*a, *b);
  ASSERT_NE(owner, nullptr);
  owner->Signal(SIGTERM);
  EXPECT_EQ(owner->WaitForEnd(seconds(60)), 0);
  const auto took = TimeToBind("after");
  RecordProperty("handover_milliseconds", static_cast<int>(took.count()));
  EXPECT_LT(took, seconds(30));
  ExpectCleanEnd();
}

// The gap that no lease can close: the process is suspended just before it
// sends the bindings.
TEST_F(TwoServes, BindingsThatAreSentTooLateAreRefused) {
#ifndef FLUXNETES_FAULTS
  GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
  const auto state = [this] {
    return world_.Ask("SELECT state FROM pod_groups");
  };
  const auto sleeper = world_.ServeWithFailpoint("bind-confirmed:1:pause");
  world_.Submit("g", {.size = 4});
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return sleeper->HasStopped(); }));
  world_.Cordon(true);
  const auto other = world_.Serve();
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return state() != "allocated"; }))
      << state() << world_.Log();
  sleeper->Signal(SIGCONT);
  EXPECT_FALSE(WaitUntil(seconds(1), [&] { return world_.Bindings() > 0; }))
      << world_.Log();
  EXPECT_NE(state(), "bound");
  world_.Cordon(false);
  ExpectCleanEnd();
}

// The short form runs a few rounds, the long form many.
TEST_F(TwoServes, KilledStoppedAndAsleepAtAnyTimeTheyLoseNothing) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const char* given = std::getenv("FLUXNETES_TEST_SEED");
  const unsigned seed = given == nullptr ? 1 : std::stoul(given);
  SCOPED_TRACE(fmt::format("repeat with FLUXNETES_TEST_SEED={}", seed));
  std::mt19937 random(seed);
  std::unique_ptr<Process> both[] = {world_.Serve(), world_.Serve()};
  for (int round = 0; round < (is_long ? 60 : 5); ++round) {
    world_.SubmitMixed(fmt::format("r{}", round));
    auto& one = both[random() % 2];
    EXPECT_EQ(one->WaitForEnd(milliseconds(random() % 800)), std::nullopt);
    switch (random() % 3) {
      case 0:
        one->Kill();
        one = world_.Serve();
        break;
      case 1:
        one->Signal(SIGTERM);
        EXPECT_EQ(one->WaitForEnd(seconds(60)), 0) << world_.Log();
        one = world_.Serve();
        break;
      default:
        one->Signal(SIGSTOP);
        EXPECT_EQ(one->WaitForEnd(milliseconds(random() % 2'000)),
                  std::nullopt);
        one->Signal(SIGCONT);
    }
    ASSERT_EQ(world_.Violations(), "") << "round " << round << world_.Log();
  }
  EXPECT_TRUE(world_.WaitForEnd(seconds(is_long ? 600 : 180)))
      << world_.Leftovers() << "\n"
      << world_.Log();
  EXPECT_EQ(world_.ViolationsAtEnd(), "") << world_.Log();
}

class PausedAt : public TwoServes,
                 public ::testing::WithParamInterface<std::string> {};

// A process suspended past its time to live within a step wakes and finds the
// step done by the other.
TEST_P(PausedAt, CommitsNothingAndBindsNothingWhenItWakes) {
#ifndef FLUXNETES_FAULTS
  GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
  const auto sleeper = world_.ServeWithFailpoint(GetParam() + ":1:pause");
  const bool of_part =
      GetParam().starts_with("news-") || GetParam().starts_with("makers-");
  // Incomplete, so it waits long enough.
  if (of_part) world_.SubmitPods("part", 2, 1);
  world_.SubmitMixed("w");
  WaitUntil(seconds(60), [&] {
    return sleeper->HasStopped() || world_.WaitForEnd(seconds(0));
  });
  if (!sleeper->HasStopped()) world_.TearAGang();
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return sleeper->HasStopped(); }))
      << world_.Log();
  world_.SetFaults({{"clear", true}});
  auto other = world_.Serve(Calm());
  if (of_part) world_.SubmitPods("part", 2, 1);
  ExpectCleanEnd();
  const auto history = world_.Ask("SELECT count(*) FROM group_history");
  const auto bindings = world_.Bindings();
  const auto terms = world_.Ask("SELECT sum(term) FROM leaders");

  sleeper->Signal(SIGCONT);
  // The process works again once it has a client row.
  EXPECT_TRUE(WaitUntil(seconds(60), [&] {
    return world_.Ask("SELECT count(*) FROM clients") == "2";
  })) << world_.Log();
  TimeToBind("awake");
  EXPECT_EQ(world_.Ask("SELECT sum(term) FROM leaders"), terms);
  ExpectCleanEnd();
  EXPECT_EQ(world_.Bindings(), bindings + 1);
  EXPECT_EQ(world_.Ask("SELECT count(*) FROM group_history"),
            std::to_string(std::stoi(history) + 1));
  EXPECT_FALSE(sleeper->HasEnded());

  other->Kill();  // the first process takes over again
  TimeToBind("last");
  ExpectCleanEnd();
}

// The short form takes one failpoint of each worker, the long form all.
std::vector<std::string> Chosen() {
  if (std::getenv("FLUXNETES_TEST_LONG") != nullptr)
    return FailpointsOfPlainGroups();
  return {"intake-before-commit", "promoter-before-commit", "match-decided",
          "bind-confirmed", "cleanup-before-commit"};
}

INSTANTIATE_TEST_SUITE_P(Failpoints, PausedAt, ::testing::ValuesIn(Chosen()),
                         [](const auto& instance) {
                           return TestNameOf(instance.param);
                         });

}  // namespace
}  // namespace fluxnetes::services
