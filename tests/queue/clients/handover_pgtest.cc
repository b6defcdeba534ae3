#include <algorithm>
#include <thread>

#include "queue/clients/batch_lease.h"
#include "queue/clients/handover.h"
#include "queue/clients/joint_leadership.h"
#include "tests/queue/support/queue_fixture.h"
#include "tests/support/process.h"

namespace fluxnetes::queue {
namespace {

class HandoverTest : public QueueTest {
 protected:
  std::vector<std::int64_t> Hand(int count) {
    sql::Transaction transaction(database.pool());
    const auto inserted =
        handover.Insert(transaction, std::vector<NewJob>(count, JobOf("q")));
    transaction.Commit();
    return IdsOf(inserted);
  }
  std::vector<std::int64_t> HandAsLeader(const std::vector<NewJob>& jobs) {
    sql::Transaction transaction(database.pool());
    const auto inserted = handover.InsertAsLeader(transaction, jobs);
    transaction.Commit();
    return IdsOf(inserted);
  }
  std::string States() {
    return database.AskAll(
        "SELECT state, attempt, client_id IS NOT NULL FROM jobs ORDER BY id");
  }
  bool Complete(const Job& job) { return FinishOne(job, Outcome::kCompleted); }

  std::unique_ptr<Client> client = NewClient();
  Handover handover{jobs, *client, 3};
  BatchLease batch{jobs, *client, "q", sql::Durability::kNoWait, &handover};
};

TEST_F(HandoverTest, JobIsLeasedAsItIsInserted) {
  {
    sql::Transaction transaction(database.pool());
    handover.Insert(transaction, std::vector{JobOf("q")});
    EXPECT_TRUE(handover.Take("q", 1).empty()) << "before the commit";
    transaction.Commit();
  }
  EXPECT_EQ(States(), "running|1|t");
  EXPECT_EQ(database.Ask("SELECT attempted_at = created_at FROM jobs"), "t");
  const auto taken = handover.Take("q", 1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].queue, "q");
  EXPECT_EQ(taken[0].attempt, 1);
  EXPECT_TRUE(handover.Take("q", 1).empty()) << "it is handed over once";
  EXPECT_TRUE(Complete(taken[0]));
  EXPECT_FALSE(Complete(taken[0]));
}

TEST_F(HandoverTest, TransactionThatIsNotCommittedHandsNothingOver) {
  {
    sql::Transaction transaction(database.pool());
    handover.Insert(transaction, std::vector{JobOf("q")});
  }
  EXPECT_TRUE(handover.Take("q", 1).empty());
  EXPECT_EQ(States(), "");
}

TEST_F(HandoverTest, MoreThanItHoldsWaitForALease) {
  Hand(2);
  const auto ids = Hand(3);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_EQ(States(),
            "running|1|t\nrunning|1|t\nrunning|1|t\n"
            "available|0|f\navailable|0|f");
  const auto taken = handover.Take("q", 10);
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(taken, {}, &Job::id));
  EXPECT_EQ(jobs.Lease("q", client->id(), 10).size(), 2u);
}

TEST_F(HandoverTest, WhatWasHandedToAnEarlierClientTakesNoRoom) {
  Hand(3);
  Kill(*client);
  ASSERT_EQ(jobs.Rescue(), 3);
  client->Beat();  // this registers it again
  Hand(3);
  EXPECT_EQ(handover.Take("q", 10).size(), 3u);
}

TEST_F(HandoverTest, BatchThatIsPutOffTakesAllAlongThatWasHandedOver) {
  Hand(3);
  ASSERT_EQ(batch.Lease(1).size(), 1u);
  batch.PutOff(std::chrono::hours(1));
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE client_id IS NULL "
                         "AND scheduled_at > now()"),
            "3");
  EXPECT_FALSE(handover.AnyWaits());
  // Others may lease what comes, until a batch is done here.
  Hand(1);
  EXPECT_FALSE(handover.AnyWaits());
  const auto leased = batch.Lease(1);
  ASSERT_EQ(leased.size(), 1u);
  EXPECT_TRUE(Complete(leased[0]));
  batch.Done();
  Hand(1);
  EXPECT_TRUE(handover.AnyWaits());
}

TEST_F(HandoverTest, LookAtTheTableFillsTheBatchWithWhatWasHandedOver) {
  InsertOne(JobOf("q"));
  Hand(2);
  EXPECT_EQ(batch.Lease(3).size(), 3u);
}

TEST_F(HandoverTest, PausedQueueIsNotLeasedFrom) {
  InsertMany("q", 1);
  jobs.Pause("q");
  Hand(1);
  EXPECT_EQ(States(), "available|0|f\navailable|0|f");
  EXPECT_TRUE(handover.Take("q", 1).empty());
}

TEST_F(HandoverTest, ClientWhoseHeartbeatIsLateGetsNothing) {
  Kill(*client);
  Hand(1);
  EXPECT_EQ(States(), "available|0|f");
  EXPECT_TRUE(handover.Take("q", 1).empty());
}

TEST_F(HandoverTest, LeaseThatTheClientHasLostIsLeftOut) {
  Hand(1);
  Kill(*client);
  ASSERT_EQ(jobs.Rescue(), 1);
  client->Beat();  // this registers it again
  EXPECT_TRUE(handover.Take("q", 1).empty());
  EXPECT_EQ(LeaseOne(*client).attempt, 2);
}

TEST_F(HandoverTest, JobWithOptionsIsRefused) {
  NewJob job = JobOf("q");
  job.tags = {"t"};
  sql::Transaction transaction(database.pool());
  EXPECT_THROW(handover.Insert(transaction, std::vector{job}), JobError);
}

TEST_F(HandoverTest, QueuesAreKeptApart) {
  sql::Transaction transaction(database.pool());
  handover.Insert(transaction, std::vector{JobOf("q"), JobOf("other")});
  transaction.Commit();
  const auto taken = handover.Take("other", 10);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].queue, "other");
  EXPECT_EQ(handover.Take("q", 10).size(), 1u);
}

TEST_F(HandoverTest, LeaderLeasesWhatItLeadsAlone) {
  JointLeadership leads(database.pool(), *client, {"led"});
  ASSERT_TRUE(leads.TryAcquire());
  const auto other = NewClient();
  JointLeadership elsewhere(database.pool(), *other, {"elsewhere"});
  ASSERT_TRUE(elsewhere.TryAcquire());
  EXPECT_EQ(
      HandAsLeader({JobOf("elsewhere"), JobOf("led"), JobOf("nobody")}).size(),
      3u);
  EXPECT_EQ(States(), "available|0|f\nrunning|1|t\navailable|0|f");
  EXPECT_EQ(handover.Take("led", 10).size(), 1u);
}

TEST_F(HandoverTest, NewTermWaitsForTheJobsAndTakesThemOver) {
  JointLeadership leads(database.pool(), *client, {"led"});
  ASSERT_TRUE(leads.TryAcquire());
  const auto other = NewClient();
  JointLeadership next(database.pool(), *other, {"led"});
  sql::Transaction transaction(database.pool());
  handover.InsertAsLeader(transaction, std::vector{JobOf("led")});
  std::thread resigning([&] { leads.Resign(); });
  const bool waited = testing::WaitUntil(std::chrono::seconds(60), [this] {
    return database.Ask(
               "SELECT count(*) > 0 FROM pg_stat_activity WHERE "
               "datname = current_database() AND "
               "wait_event_type = 'Lock'") == "t";
  });
  transaction.Commit();
  resigning.join();
  EXPECT_TRUE(waited);
  ASSERT_TRUE(next.TryAcquire());
  sql::Transaction taking(database.pool());
  EXPECT_EQ(next.TakeLeasesOver(taking, {"led"}), 1);
}

TEST_F(HandoverTest, BatchTakesWhatWasHandedOverThenLeases) {
  EXPECT_TRUE(batch.Lease(10).empty());  // its look at the table
  InsertMany("q", 1);
  Hand(2);
  const auto handed = batch.Lease(10);
  ASSERT_EQ(handed.size(), 2u);
  for (const Job& job : handed) EXPECT_TRUE(Complete(job));
  batch.Done();
  EXPECT_EQ(batch.Lease(10).size(), 1u);
}

TEST_F(HandoverTest, BatchThatWasInterruptedIsGivenBack) {
  Hand(1);
  ASSERT_TRUE(batch.Lease(10).size() == 1);
  const auto again = batch.Lease(10);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].attempt, 2);
  EXPECT_TRUE(Complete(again[0]));
}

TEST_F(HandoverTest, TableIsLookedAtAlthoughMoreIsHandedOver) {
  InsertMany("q", 1);
  const auto looked_at = [this] {
    Hand(1);
    const auto leased = batch.Lease(1);
    const bool found = leased.at(0).id == 1;
    EXPECT_TRUE(Complete(leased[0]));
    batch.Done();
    return found;
  };
  EXPECT_TRUE(testing::WaitUntil(std::chrono::seconds(60), looked_at));
}

}  // namespace
}  // namespace fluxnetes::queue
