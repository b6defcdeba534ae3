#include "queue/clients/batch_lease.h"
#include "sql/error.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

class BatchLeaseTest : public QueueTest {
 protected:
  std::string Running() {
    return database.Ask("SELECT count(*) FROM jobs WHERE state = 'running'");
  }
  std::string Finished() {
    return database.Ask("SELECT count(*) FROM jobs_finished");
  }
  bool Complete(const Job& job) { return FinishOne(job, Outcome::kCompleted); }

  std::unique_ptr<Client> client = NewClient();
  BatchLease batch{jobs, *client, "q"};
};

TEST_F(BatchLeaseTest, BatchThatWasNotFinishedIsGivenBackBeforeTheNextLease) {
  InsertMany("q", 3);
  const auto lost = batch.Lease(2);
  ASSERT_EQ(lost.size(), 2u);
  const auto next = batch.Lease(10);
  ASSERT_EQ(next.size(), 3u);
  EXPECT_FALSE(Complete(lost[0])) << "the lease of the first attempt counts";
  for (const Job& job : next) EXPECT_TRUE(Complete(job));
}

TEST_F(BatchLeaseTest, LeaseThatNeedNotWaitForTheDiskIsALeaseLikeAnother) {
  BatchLease quick(jobs, *client, "q", sql::Durability::kNoWait);
  InsertMany("q", 2);
  const auto leased = quick.Lease(10);
  ASSERT_EQ(leased.size(), 2u);
  EXPECT_TRUE(batch.Lease(10).empty());
  EXPECT_EQ(Running(), "2");
  EXPECT_TRUE(Complete(leased[0]));
  EXPECT_EQ(quick.Lease(10).size(), 1u);
}

TEST_F(BatchLeaseTest, FailuresBurnNoAttempt) {
  NewJob job = JobOf("q");
  job.max_attempts = 1;
  const auto id = InsertOne(job);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(batch.Lease(1).size(), 1u);
  EXPECT_EQ(StateOf(id), "running");
  EXPECT_EQ(database.Ask("SELECT errors FROM jobs"), "[]");
}

TEST_F(BatchLeaseTest, WhatWasFinishedBeforeTheFailureStaysFinished) {
  InsertMany("q", 3);
  const auto leased = batch.Lease(3);
  ASSERT_TRUE(Complete(leased[1]));
  EXPECT_EQ(batch.Lease(10).size(), 2u);
  EXPECT_EQ(Finished(), "1");
}

TEST_F(BatchLeaseTest, BatchThatIsDoneIsLeftAlone) {
  InsertMany("q", 2);
  const auto leased = batch.Lease(2);
  batch.Done();
  EXPECT_TRUE(batch.Lease(10).empty());
  EXPECT_EQ(Running(), "2");
  EXPECT_TRUE(Complete(leased[0]));
}

TEST_F(BatchLeaseTest, TakesNothingFromOneWhoHasTheJobByNow) {
  InsertMany("q", 1);
  batch.Lease(1);
  Kill(*client);
  ASSERT_EQ(jobs.Rescue(), 1);
  const auto other = NewClient();
  const Job job = LeaseOne(*other);
  client->Beat();  // this registers it again
  EXPECT_TRUE(batch.Lease(1).empty());
  EXPECT_TRUE(Complete(job));
}

TEST_F(BatchLeaseTest, OtherWorkOfTheClientAndItsLeadershipsAreLeftAlone) {
  InsertMany("q", 1);
  InsertMany("other", 1);
  const auto id = client->id();
  BatchLease another(jobs, *client, "other");
  const auto kept = another.Lease(1);
  batch.Lease(1);
  batch.Lease(1);
  EXPECT_TRUE(Complete(kept[0]));
  client->Beat();
  EXPECT_EQ(client->id(), id);
}

TEST_F(BatchLeaseTest, GivesBackOnceTheDatabaseCanBeWorkedWithAgain) {
  InsertMany("q", 2);
  batch.Lease(2);
  database.Execute("ALTER TABLE jobs RENAME TO jobs_elsewhere");
  EXPECT_THROW(batch.Lease(2), sql::Error);
  EXPECT_THROW(batch.Lease(2), sql::Error);
  database.Execute("ALTER TABLE jobs_elsewhere RENAME TO jobs");
  EXPECT_EQ(batch.Lease(2).size(), 2u);
}

}  // namespace
}  // namespace fluxnetes::queue
