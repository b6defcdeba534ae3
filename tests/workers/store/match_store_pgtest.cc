#include <algorithm>
#include <functional>
#include <thread>

#include "tests/workers/support/match_fixture.h"
#include "workers/cleanup/cleanup_queries.h"
#include "workers/loops/group_jobs.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {
namespace {

// A store that has taken two groups of one pod, and the decision to place both
// on n0: the test determines what happens until its commit.
class MatchStoreTest : public MatchTest {
 protected:
  MatchStoreTest() {
    CreateGang("stale", 1);
    CreateGang("fresh", 1);
    ObserveAndPromote();
    match->worker.RunOnce(kNoon);  // loads, leases nothing yet
    match->store.Acquire();
    match->store.Load(schedule.requests());
    for (const PendingGroup& group :
         match->store.Take(schedule.requests(), {}).waiting)
      decision.placed.push_back(
          {group.id,
           group.revision,
           group.job_id,
           group.job_attempt,
           group.queue,
           1'000,
           std::nullopt,
           {{group.members[0].uid, "n0", group.members[0].request}}});
  }

  Schedule schedule;
  Decision decision;
};

TEST_F(MatchStoreTest, PlacementOfAChangedGroupIsDroppedAndTheOthersStand) {
  ASSERT_EQ(decision.placed.size(), 2U);
  database.Execute(
      "UPDATE pod_groups SET revision = revision + 1 WHERE group_name = "
      "'stale'");
  const auto refused = match->store.Commit(decision, kNoon);
  EXPECT_EQ(refused.size(), 1U);
  EXPECT_EQ(StateOf("stale"), "pending queued");
  EXPECT_EQ(StateOf("fresh"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "1");
}

TEST_F(MatchStoreTest, GroupThatChangedBeforeTheCommitIsMatchedAsItIsNow) {
  database.Execute(
      "WITH changed AS (UPDATE pod_groups SET revision = revision + 1 WHERE "
      "group_name = 'stale' RETURNING id) INSERT INTO match_inbox (queue, "
      "news, group_id) SELECT 'default', 'changed', id FROM changed");
  match->store.Commit(decision, kNoon);
  const auto news = match->store.Take(schedule.requests(), {});
  ASSERT_EQ(news.waiting.size(), 1U);
  EXPECT_EQ(news.waiting[0].name, "stale");
  EXPECT_EQ(news.waiting[0].revision, 2);
}

// The commit of leases does not wait for the disk (MatchStore::Take).
constexpr const char* kUndoLeases =
    "UPDATE jobs SET state = 'available', attempt = attempt - 1, "
    "client_id = NULL, attempted_at = NULL WHERE kind = 'match'";

TEST_F(MatchStoreTest, WhatWasDecidedOnALeaseThatACrashUndidIsRefused) {
  database.Execute(kUndoLeases);
  EXPECT_EQ(match->store.Commit(decision, kNoon).size(), 2U);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
  EXPECT_EQ(match->store.Take(schedule.requests(), {}).waiting.size(), 2U);
}

using MatchUndoneLeaseTest = MatchTest;

TEST_F(MatchUndoneLeaseTest, GroupWhoseLeaseACrashUndidWaitsOnAndIsPlacedOnce) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  CreateGang("first", 3);
  CreateGang("second", 1);
  ObserveAndPromote();
  Match();
  ASSERT_EQ(StateOf("second"), "pending reserved");
  database.Execute(kUndoLeases);
  Match();
  EXPECT_EQ(StateOf("second"), "pending reserved");
  SetNode("n3", 1'000);
  Match();
  EXPECT_EQ(PlacesOf("second"), "n3");
  EXPECT_EQ(Jobs("match"), "0");
  EXPECT_EQ(Jobs("bind"), "2");
}

TEST_F(MatchStoreTest, AfterABrokenConnectionNothingIsDecidedOnWhatWasRead) {
  const std::string idle = Ask("SELECT pg_backend_pid()");
  fluxnetes::testing::TestDatabase killer(false);
  ASSERT_EQ(killer.Ask("SELECT pg_terminate_backend(" + idle + ", 60000)"),
            "t");
  EXPECT_THROW(match->store.Commit(decision, kNoon), sql::Error);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
  EXPECT_THROW(match->store.Take(schedule.requests(), {}), sql::Error);
  match->store.Load(schedule.requests());
  EXPECT_EQ(match->store.Commit(decision, kNoon).size(), 0U);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
}

TEST_F(MatchStoreTest, GroupsAreLockedInOrderOfTheirNumbers) {
  std::ranges::sort(decision.placed, std::greater(), &Placed::group);
  const std::string first = std::to_string(decision.placed.back().group);
  const std::string last = std::to_string(decision.placed.front().group);
  const std::string lock = "SELECT FROM pod_groups WHERE id = ";
  sql::Transaction other(database.pool());
  other.RunScript(lock + first + " FOR UPDATE");
  const auto pid =
      other.RunScript("SELECT pg_backend_pid()::text")[0].Get<std::string>(0);
  std::thread commit([&] { match->store.Commit(decision, kNoon); });
  while (Ask("SELECT count(*) FROM pg_locks WHERE NOT granted AND " + pid +
             " = ANY(pg_blocking_pids(pid))") == "0") {
  }
  EXPECT_EQ(other.RunScript(lock + last + " FOR UPDATE SKIP LOCKED").size(),
            1U);
  other.Commit();
  commit.join();
  EXPECT_EQ(StateOf("stale") + " " + StateOf("fresh"), "allocated allocated");
}

TEST_F(MatchStoreTest, JobThatIsLeasedBesideTheOneInMemoryEnds) {
  sql::Transaction transaction(database.pool());
  AskForPlaces(transaction, *jobs,
               {std::stoll(Ask("SELECT id FROM pod_groups WHERE group_name = "
                               "'stale'"))},
               {"default"});
  transaction.Commit();
  const auto news = match->store.Take(schedule.requests(), {});
  ASSERT_EQ(news.waiting.size(), 1U);
  EXPECT_EQ(news.waiting[0].name, "stale");
  EXPECT_EQ(news.changed, std::vector{news.waiting[0].id});
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE kind = 'match'"), "2");
}

TEST_F(MatchStoreTest, OfTwoJobsThatAreTakenOverTheOneOfTheRowIsKept) {
  sql::Transaction transaction(database.pool());
  AskForPlaces(transaction, *jobs,
               {std::stoll(Ask("SELECT id FROM pod_groups WHERE group_name = "
                               "'stale'"))},
               {"default"});
  transaction.Commit();
  database.Execute(
      "UPDATE jobs SET (state, attempt, client_id, attempted_at) = (SELECT "
      "j.state, 1, j.client_id, j.attempted_at FROM jobs AS j WHERE j.state = "
      "'running' LIMIT 1) WHERE kind = 'match' AND state = 'available'");
  const auto news = match->store.Load(schedule.requests());
  EXPECT_EQ(news.waiting.size(), 2U);
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE kind = 'match'"), "2");
}

// A member is replaced in two steps. Between them no member lacks a place, and
// whoever adds the replacement relies on the job that the group has.
TEST_F(MatchStoreTest, WaitingGroupKeepsItsJobWhileNoMemberLacksAPlace) {
  const std::string tell =
      "INSERT INTO match_inbox (queue, news, group_id) SELECT 'default', "
      "'changed', id FROM pod_groups WHERE group_name = 'stale'";
  const std::string set = "UPDATE pods SET state = '";
  const std::string member = "' WHERE asked_name = 'stale'";
  database.Execute(set + "deleted" + member);
  database.Execute(tell);
  EXPECT_EQ(match->store.Take(schedule.requests(), {}).waiting.size(), 0U);
  database.Execute(set + "waiting" + member);
  database.Execute(tell);
  EXPECT_EQ(match->store.Take(schedule.requests(), {}).waiting.size(), 1U);
}

TEST_F(MatchStoreTest, JobEndsWithAGroupOfWhichNoMemberLacksAPlace) {
  database.Execute(
      "UPDATE pods SET state = 'deleted' WHERE asked_name = 'stale'");
  database.Execute(
      "INSERT INTO match_inbox (queue, news, group_id) SELECT 'default', "
      "'changed', id FROM pod_groups WHERE group_name = 'stale'");
  EXPECT_EQ(match->store.Take(schedule.requests(), {}).waiting.size(), 0U);
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE kind = 'match'"), "2");
  sql::RunAlone(database.pool(), queries::kRecordHistory,
                std::vector{std::stoll(Ask("SELECT id FROM pod_groups WHERE "
                                           "group_name = 'stale'"))},
                false, kNoon);
  EXPECT_EQ(Ask("SELECT string_agg(group_name, ' ') FROM pod_groups"), "fresh");
  match->store.Take(schedule.requests(), {});
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE kind = 'match'"), "1");
}

}  // namespace
}  // namespace fluxnetes::workers
