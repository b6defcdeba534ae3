// Faults and odd changes by people and hosts while groups wait: each gives a
// clear error or a sound schedule, and the worker terminates.
#include <fmt/format.h>

#include "tests/workers/support/match_fixture.h"

namespace fluxnetes::workers {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

class MatchFaultsTest : public MatchTest {
 protected:
  // Creates gangs of pods that fill a node each.
  void Waits(const std::string& name, int pods = 3) {
    door.owners["uid-of-" + name] = {"Job", "default", name, "uid-of-" + name};
    for (int i = 0; i < pods; ++i)
      Create({.name = name + "-" + std::to_string(i),
              .group = name,
              .size = pods,
              .owner = name,
              .cpu = 64'000});
  }

  // Runs until there is nothing more to decide.
  void Settle(cluster::Time now = kNoon) {
    ObserveAndPromote();
    match->worker.NoteNodes(cache->TakeChangedNodes());
    int cycles = 0;
    while (match->worker.RunOnce(now)) ASSERT_LT(++cycles, 200);
  }

  void Queue(const std::string& edit) {
    database.Execute("UPDATE queues SET " + edit);
  }

  // Releases all that the group holds.
  void End(const std::string& group) {
    database.Execute(
        "WITH gone AS (DELETE FROM placements USING pod_groups AS g WHERE "
        "g.id = fluxion_job AND group_name = '" +
        group +
        "' RETURNING fluxion_job, pod_uid) INSERT INTO match_inbox (queue, "
        "news, group_id, pod_uid) SELECT 'default', 'released', fluxion_job, "
        "pod_uid FROM gone");
  }
};

TEST_F(MatchFaultsTest, DurationsBeyondTheCalendarArePromisedItsLastSecond) {
  Queue("queue_policy = 'conservative'");
  for (const char* name : {"a", "b", "c", "d"}) Waits(name);
  ObserveAndPromote();
  database.Execute("UPDATE pod_groups SET duration_seconds = 9000000000000");
  Settle();
  EXPECT_EQ(StateOf("a"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "3");
  EXPECT_EQ(Ask("SELECT max(extract(epoch FROM starts_at))::bigint FROM "
                "reservations"),
            "253402300799");  // 9999-12-31 23:59:59
  End("a");
  Settle();
  EXPECT_EQ(StateOf("b"), "allocated");
}

TEST_F(MatchFaultsTest, DurationsAtBothEndsArePromisedOneAfterTheOther) {
  Queue("queue_policy = 'conservative'");
  for (const char* name : {"a", "b", "c", "d"}) Waits(name);
  ObserveAndPromote();
  for (const char* edit :
       {"1 WHERE group_name = 'a'", "2147483647 WHERE group_name = 'b'",
        "3155760000 WHERE group_name = 'c'"})
    database.Execute(std::string("UPDATE pod_groups SET duration_seconds = ") +
                     edit);
  EXPECT_THROW(database.Execute("UPDATE pod_groups SET duration_seconds = 0"),
               sql::Error);
  Settle();
  const std::int64_t noon = kNoon.time_since_epoch() / std::chrono::seconds(1);
  EXPECT_EQ(
      Ask("SELECT string_agg(extract(epoch FROM starts_at)::bigint::text, ' ' "
          "ORDER BY group_id) FROM reservations"),
      fmt::format("{} {} {}", noon + 1, noon + 1 + 2'147'483'647,
                  noon + 1 + 2'147'483'647 + 3'155'760'000));
}

TEST_F(MatchFaultsTest, ClockThatIsSetBackOrAheadStopsNobody) {
  Waits("a");
  Settle();
  Waits("b");
  Settle(kNoon + hours(24 * 365));
  EXPECT_EQ(StateOf("b"), "pending reserved");
  End("a");
  Settle(kNoon - hours(24 * 365));
  EXPECT_EQ(StateOf("b"), "allocated");
  Waits("c");
  Settle(kNoon);
  EXPECT_EQ(StateOf("c"), "pending reserved");
}

TEST_F(MatchFaultsTest, ThousandsOfEqualPrioritiesGoByAge) {
  for (int i = 0; i < 2'000; ++i)
    Create({.name = fmt::format("p{:04}", i), .cpu = 1'000});
  Settle();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "192");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements AS l JOIN pods AS p ON p.uid "
                "= l.pod_uid WHERE p.pod_name < 'p0192'"),
            "192");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups WHERE state = 'pending'"),
            "1808");
}

TEST_F(MatchFaultsTest, PolicyThatChangesInMidFlightLosesNobody) {
  Waits("first");
  Settle();
  Waits("second");
  Waits("third", 1);
  for (const char* policy :
       {"conservative", "fcfs", "hybrid", "easy", "conservative"}) {
    SCOPED_TRACE(policy);
    Queue(fmt::format("queue_policy = '{}'", policy));
    for (const char* order : {"shortest", "fair_share", "arrival"}) {
      Queue(fmt::format("queue_order = '{}'", order));
      Settle();
      EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups WHERE state = 'pending'"),
                "2");
    }
  }
  End("first");
  Settle();
  EXPECT_EQ(StateOf("second"), "allocated");
  End("second");
  Settle();
  EXPECT_EQ(StateOf("third"), "allocated");
}

TEST_F(MatchFaultsTest, QueueWhoseNodesAllVanishSaysSoAndGoesOnWithTheNext) {
  Waits("first");
  Settle();
  Waits("second");
  Settle();
  EXPECT_EQ(StateOf("second"), "pending reserved");
  for (const char* node : {"n0", "n1", "n2"}) door.RemoveNode(node);
  Settle();
  EXPECT_EQ(StateOf("second"), "unsatisfiable");
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "0");
  EXPECT_NE(Ask("SELECT reason FROM pending WHERE group_name = 'second'"),
            "NULL");
  for (const char* node : {"n3", "n4", "n5"}) SetNode(node, 64'000);
  Settle();
  EXPECT_EQ(PlacesOf("second"), "n3 n4 n5");
}

TEST_F(MatchFaultsTest, SettingsAtTheirEndsAreRefusedOrObeyed) {
  for (const char* edit :
       {"queue_depth = 0", "queue_depth = -1", "reservation_depth = 0",
        "reservation_depth = 100001", "half_life = '0'", "half_life = '-1 day'",
        "half_life = '101 years'", "ageing = -1", "ageing = 'NaN'",
        "assumed_duration = '0'"})
    EXPECT_THROW(Queue(edit), sql::Error) << edit;
  Waits("first");
  Settle();
  Waits("second");
  Waits("third");
  for (const char* edit :
       {"queue_depth = 1", "queue_depth = 2147483647",
        "queue_policy = 'hybrid', reservation_depth = 1",
        "reservation_depth = 100000", "assumed_duration = '1 second'",
        "assumed_duration = '100 years'", "half_life = '1 minute'",
        "queue_order = 'fair_share', half_life = '100 years'",
        "queue_order = 'shortest', ageing = 1000000", "ageing = 0"}) {
    SCOPED_TRACE(edit);
    Queue(edit);
    Settle();
    EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups WHERE state = 'pending'"),
              "2");
  }
  End("first");
  Settle();
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups WHERE state = 'pending'"),
            "1");
}

}  // namespace
}  // namespace fluxnetes::workers
