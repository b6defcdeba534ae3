// The low-water marks never hide a job from leases, even if transactions commit
// in another order than they began, or insert jobs due in the past. Here every
// lease moves the marks, and none scans the whole queue.
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "queue/control/job_control.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

constexpr LeaseOptions kAlwaysGlance{.glance = milliseconds(0),
                                     .look_at_all = false};

class LeaseMarks : public QueueTest {
 protected:
  std::vector<std::int64_t> LeaseAll(const Client& client, int limit = 100) {
    std::vector<std::int64_t> ids;
    for (const Job& job : marked.Lease("q", client.id(), limit))
      ids.push_back(job.id);
    return ids;
  }

  // Leases until the marks have passed all jobs inserted so far, so that a row
  // changed by hand at that time is not found any more.
  void PassAll(const Client& client) {
    const auto id = std::to_string(InsertOne(JobOf("q")));
    EXPECT_EQ(LeaseAll(client).size(), 1u);
    do {
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(LeaseAll(client).empty());
      std::this_thread::sleep_for(milliseconds(20));
      database.Execute(
          "UPDATE jobs SET state = 'available', client_id = NULL "
          "WHERE id = " +
          id);
    } while (!LeaseAll(client).empty());
    database.Execute("DELETE FROM jobs WHERE id = " + id);
  }

  static sql::Timestamp HourAgo() {
    return std::chrono::floor<std::chrono::microseconds>(
        std::chrono::system_clock::now() - std::chrono::hours(1));
  }

  WorkQueue marked{database.pool(), nullptr, kAlwaysGlance};
};

TEST_F(LeaseMarks, AJobIsFoundThatWasInsertedBeforeOthersAndCommittedAfter) {
  const auto client = NewClient();
  sql::Transaction slow(database.pool());
  const auto first = IdsOf(jobs.Insert(slow, std::vector{JobOf("q")}));
  const auto second = InsertOne(JobOf("q"));
  EXPECT_EQ(LeaseAll(*client), std::vector{second});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(LeaseAll(*client).empty());
  slow.Commit();
  EXPECT_EQ(LeaseAll(*client), first);
}

TEST_F(LeaseMarks, AJobIsFoundWhoseTransactionBeganLast) {
  const auto client = NewClient();
  EXPECT_TRUE(LeaseAll(*client).empty());
  sql::Transaction slow(database.pool());
  const auto first = IdsOf(jobs.Insert(slow, std::vector{JobOf("q")}));
  for (int i = 0; i < 4; ++i) {
    std::this_thread::sleep_for(milliseconds(120));  // more than the margin
    EXPECT_TRUE(LeaseAll(*client).empty());
  }
  slow.Commit();
  EXPECT_EQ(LeaseAll(*client), first);
}

TEST_F(LeaseMarks, AJobIsFoundWhoseTransactionRanTooLongToBeWaitedFor) {
  const auto client = NewClient();
  sql::Transaction slow(database.pool());
  const auto first = IdsOf(jobs.Insert(slow, std::vector{JobOf("q")}));
  PassAll(*client);
  slow.Commit();
  EXPECT_EQ(LeaseAll(*client), first);
}

TEST_F(LeaseMarks, AJobOfATimeThatHasPassedIsFound) {
  const auto client = NewClient();
  NewJob old = JobOf("q");
  old.scheduled_at = HourAgo();
  PassAll(*client);
  const auto inserted = InsertOne(old);
  EXPECT_EQ(LeaseAll(*client), std::vector{inserted});
  PassAll(*client);
  sql::Transaction copy(database.pool());
  jobs.InsertCopy(copy, std::vector{old});
  copy.Commit();
  EXPECT_EQ(LeaseAll(*client).size(), 1u);
}

TEST_F(LeaseMarks, WhatBecomesAvailableAgainIsFound) {
  const auto client = NewClient();
  const auto dead = NewClient();
  NewJob due = JobOf("q");
  due.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  NewJob parked = JobOf("q");
  parked.pending = true;
  parked.scheduled_at = HourAgo();
  JobControl control(database.pool());
  std::vector<std::int64_t> ids = {InsertOne(due), InsertOne(parked),
                                   InsertOne(due)};
  for (int i = 0; i < 4; ++i) ids.push_back(InsertOne(JobOf("q")));
  const Job rescued = LeaseOne(*dead);
  const auto leaver = NewClient();
  const Job released = LeaseOne(*leaver);
  const Job snoozed = LeaseOne(*client);
  FinishOne(LeaseOne(*client), Outcome::kCompleted);
  JobUpdate update;
  update.scheduled_at = HourAgo();

  const auto found = [&](std::int64_t id, auto act) {
    PassAll(*client);
    act();
    EXPECT_EQ(LeaseAll(*client), std::vector{id});
  };
  found(ids[0], [&] {
    database.Execute(
        "UPDATE jobs SET scheduled_at = now() - interval '1 hour' "
        "WHERE state = 'scheduled' AND id = " +
        std::to_string(ids[0]));
    EXPECT_EQ(jobs.MakeDueAvailable(), 1);
  });
  found(ids[1], [&] { control.Release(ids[1]); });
  found(ids[2], [&] { control.Update(ids[2], update); });
  found(rescued.id, [&] {
    Kill(*dead);
    EXPECT_EQ(jobs.Rescue(), 1);
  });
  found(released.id, [&] { leaver->Stop(); });
  found(snoozed.id, [&] { FinishOne(snoozed, Outcome::kSnoozed); });
  found(ids[6], [&] { control.RunAgain(ids[6]); });
}

TEST_F(LeaseMarks, AJobOfHigherPriorityGoesFirstWhereverTheMarksAre) {
  const auto client = NewClient();
  PassAll(*client);
  std::vector<NewJob> all;
  for (const int priority : {3, 1, 4, 2, 1}) {
    all.push_back(JobOf("q"));
    all.back().priority = priority;
  }
  const auto ids = IdsOf(jobs.Insert(all));
  EXPECT_EQ(LeaseAll(*client, 3), (std::vector{ids[1], ids[4], ids[3]}));
  EXPECT_EQ(LeaseAll(*client), (std::vector{ids[0], ids[2]}));
}

TEST_F(LeaseMarks, WhatAProgramChangesByHandIsFoundByOneWhoLooksAtAll) {
  const auto client = NewClient();
  const auto id = InsertOne(JobOf("q"));
  FinishOne(LeaseOne(*client), Outcome::kSnoozed, "", milliseconds(3'600'000));
  PassAll(*client);
  WorkQueue watchful(database.pool(), nullptr, {.glance = milliseconds(0)});
  database.Execute(
      "UPDATE jobs SET state = 'available', "
      "scheduled_at = '2020-01-01'");
  std::vector<Job> leased;
  while (leased.empty()) leased = watchful.Lease("q", client->id(), 9);
  EXPECT_EQ(leased[0].id, id);
}

TEST_F(LeaseMarks, NothingIsLostWhenManyCommitInAnyOrder) {
  constexpr int kThreads = 6;
  constexpr int kRounds = 40;
  sql::PoolOptions options = database.options();
  options.max_connections = 2 * kThreads;
  sql::Pool pool(options);
  WorkQueue inserters(pool);
  const auto client = NewClient();
  std::atomic<int> open = kThreads;
  std::atomic<int> inserted = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::mt19937 random(static_cast<unsigned>(thread));
      for (int round = 0; round < kRounds; ++round) {
        sql::Transaction transaction(pool);
        std::vector<NewJob> some(1 + random() % 3, JobOf("q"));
        for (NewJob& job : some)
          job.priority = 1 + static_cast<int>(random() % 4);
        if (random() % 8 == 0) some[0].scheduled_at = HourAgo();
        inserters.Insert(transaction, some);
        std::this_thread::sleep_for(milliseconds(random() % 20));
        if (random() % 5 == 0) continue;  // rolled back
        transaction.Commit();
        inserted += static_cast<int>(some.size());
      }
      --open;
    });
  std::set<std::int64_t> leased;
  bool last = false;
  while (true) {
    last = open == 0;
    const auto some = LeaseAll(*client, 5);
    leased.insert(some.begin(), some.end());
    if (some.empty() && last) break;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(static_cast<int>(leased.size()), inserted);
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs "
                         "WHERE state = 'available'"),
            "0");
}

// Counts the rows that leases scan by PostgreSQL's own statistics, including
// dead ones, which VACUUM cannot remove while another transaction is open.
TEST_F(LeaseMarks, ATransactionThatIsHeldOpenDoesNotMakeLeasesWalk) {
  sql::PoolOptions options = database.options();
  options.max_connections = 1;
  sql::Pool pool(options);
  WorkQueue leaser(pool, nullptr, kAlwaysGlance);
  const auto walked = [&] {
    sql::Transaction transaction(pool);
    transaction.RunScript("SELECT pg_stat_force_next_flush()");
    transaction.Commit();
    return std::stol(
        database.Ask("SELECT idx_tup_read FROM "
                     "pg_stat_user_indexes WHERE indexrelname = "
                     "'jobs_lease' AND schemaname = "
                     "current_schema()"));
  };
  const auto client = NewClient();
  sql::Transaction holder(database.pool(), sql::Isolation::kRepeatableRead);
  holder.RunScript("SELECT");
  for (int batch = 0; batch < 20; ++batch) {
    InsertMany("q", 500);
    EXPECT_EQ(leaser.Lease("q", client->id(), 500).size(), 500u);
  }
  long before = 0;
  do {
    before = walked();
    InsertMany("q", 1);
    EXPECT_EQ(leaser.Lease("q", client->id(), 1).size(), 1u);
  } while (walked() - before > 1'000);
  for (int i = 0; i < 10; ++i) {
    InsertMany("q", 1);
    EXPECT_EQ(leaser.Lease("q", client->id(), 1).size(), 1u);
  }
  EXPECT_LT(walked() - before, 20 * 1'000);
}

}  // namespace
}  // namespace fluxnetes::queue
