#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/support/match_fixture.h"
#include "workers/cleanup/cleanup.h"
#include "workers/usage/usage_roll_up.h"

namespace fluxnetes::workers {
namespace {

// kNoon is noon of a day by UTC.
constexpr std::chrono::hours kHour{1};

class UsageTest : public MatchTest {
 protected:
  void CreateGroup(const std::string& name, int pods, const char* user) {
    for (int i = 0; i < pods; ++i) {
      cluster::Pod pod = PodOf({.name = name + "-" + std::to_string(i),
                                .group = name,
                                .size = pods,
                                .owner = name});
      pod.labels["fluxnetes.account"] = "physics";
      if (*user != '\0') pod.labels["fluxnetes.user"] = user;
      door.Put(pod);
    }
  }

  // Places and binds what waits.
  void Start(cluster::Time now) {
    ObserveAndPromote(now);
    Match(now);
    BindPlaced(now);
    ObserveAndPromote(now);
  }

  void End(const std::string& pod, cluster::Time now) {
    door.ChangePod("default/" + pod, [](cluster::Pod& it) {
      it.phase = cluster::PodPhase::kSucceeded;
    });
    ObserveAndPromote(now);
    Cleanup cleanup(database.pool(), *jobs, *client, door, {});
    while (cleanup.RunOnce(now)) {
    }
  }

  void RollUp(cluster::Time now) { UsageRollUp(database.pool()).RunOnce(now); }

  std::string Hours(const std::string& resource = "cpu") {
    return AskAll(
        "SELECT day, account, user_name, round((used / 3600)::numeric, 3) FROM "
        "usage_days WHERE resource = '" +
        resource + "' ORDER BY day, user_name");
  }
};

TEST_F(UsageTest, HeldPlacesAreCountedEachDayForItsPart) {
  SetNode("n0", 4'000);
  CreateGroup("train", 2, "ada");
  Start(kNoon);
  RollUp(kNoon + kHour);
  EXPECT_EQ(Hours(), "2024-12-18|physics|ada|2.000");
  RollUp(kNoon + 14 * kHour);
  EXPECT_EQ(Hours(),
            "2024-12-18|physics|ada|24.000\n"
            "2024-12-19|physics|ada|4.000");
  EXPECT_EQ(Ask("SELECT count(DISTINCT resource) FROM usage_days"), "2");
  EXPECT_EQ(Hours("pods"), Hours());
}

TEST_F(UsageTest, EndedPodsCountToTheirEndWhereverTheyAreRecorded) {
  SetNode("n0", 4'000);
  CreateGroup("train", 2, "");
  Start(kNoon);
  End("train-0", kNoon + kHour);
  RollUp(kNoon + 2 * kHour);
  EXPECT_EQ(Hours(), "2024-12-18|physics||3.000");
  End("train-1", kNoon + 3 * kHour);
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), "1");
  // The history is recorded by the clock of the database, which runs ahead of
  // this test's time.
  RollUp(kNoon + 5 * kHour);
  EXPECT_EQ(Hours(), "2024-12-18|physics||4.000");
  RollUp(kNoon + 5 * kHour);
  EXPECT_EQ(Hours(), "2024-12-18|physics||4.000");
  // What is gone from the history stays.
  database.Execute("DELETE FROM group_history");
  RollUp(kNoon + 20 * kHour);
  EXPECT_EQ(Hours(), "2024-12-18|physics||4.000");
}

TEST_F(UsageTest, DaysWithoutARollUpAreMadeUpFor) {
  SetNode("n0", 4'000);
  CreateGroup("train", 1, "");
  Start(kNoon);
  RollUp(kNoon + kHour);
  RollUp(kNoon + 72 * kHour);
  EXPECT_EQ(Ask("SELECT string_agg(round(used / 3600)::text, ' ' ORDER BY day) "
                "FROM usage_days WHERE resource = 'cpu'"),
            "12 24 24 12");
}

TEST_F(UsageTest, OneRollUpRunsAtATime) {
  SetNode("n0", 4'000);
  CreateGroup("train", 1, "");
  Start(kNoon);
  sql::Transaction other(database.pool());
  other.RunScript("SELECT FROM usage_clock FOR UPDATE");
  RollUp(kNoon + kHour);
  EXPECT_EQ(Hours(), "");
}

TEST_F(UsageTest, AnotherReplicaDoesNotRollUpAgainAtOnce) {
  SetNode("n0", 4'000);
  CreateGroup("train", 1, "");
  Start(kNoon);
  RollUp(kNoon + kHour);
  RollUp(kNoon + kHour + std::chrono::minutes(8));
  EXPECT_EQ(Hours(), "2024-12-18|physics||1.000");
  RollUp(kNoon + kHour + std::chrono::minutes(12));
  EXPECT_EQ(Hours(), "2024-12-18|physics||1.200");
}

TEST_F(UsageTest, MonthsAreSummedUp) {
  SetNode("n0", 4'000);
  CreateGroup("train", 2, "ada");
  Start(kNoon);
  RollUp(kNoon + 24 * kHour);
  EXPECT_EQ(AskAll("SELECT month, account, user_name, round(core_hours), "
                   "round(pod_hours), other_hours FROM usage_months"),
            "2024-12-01|physics|ada|48|48|{}");
}

TEST_F(UsageTest, AmountsAreReadAsKubernetesWritesThem) {
  EXPECT_EQ(Ask("SELECT string_agg(quantity_of(a)::text, ' ') FROM unnest("
                "ARRAY['1', '500m', '64Mi', '1.5Gi', '2k', '3Ti']) AS a"),
            "1 0.5 67108864 1610612736 2000 3298534883328");
}

}  // namespace
}  // namespace fluxnetes::workers
