#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "queue/clients/joint_leadership.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

using JointLeader = QueueTest;
using std::chrono::milliseconds;

TEST_F(JointLeader, HasAllOrNone) {
  const auto one = NewClient();
  const auto two = NewClient();
  Leadership middle(database.pool(), *two, "b");
  ASSERT_EQ(middle.TryAcquire(), 1);
  JointLeadership joint(database.pool(), *one, {"c", "b", "a"});
  EXPECT_FALSE(joint.TryAcquire());
  EXPECT_EQ(database.Ask("SELECT count(*) FROM leaders"), "1");
  middle.Resign();
  EXPECT_TRUE(joint.TryAcquire());
  EXPECT_EQ(joint.TermOf("a"), 1);
  EXPECT_EQ(joint.TermOf("b"), 2);
  EXPECT_FALSE(middle.TryAcquire());
}

TEST_F(JointLeader, LosesAllWithOne) {
  const auto one = NewClient();
  const auto two = NewClient();
  JointLeadership joint(database.pool(), *one, {"a", "b"});
  ASSERT_TRUE(joint.TryAcquire());
  Kill(*one);
  Leadership other(database.pool(), *two, "b");
  ASSERT_EQ(other.TryAcquire(), 2);
  one->Beat();
  sql::Transaction transaction(database.pool());
  EXPECT_THROW(joint.Check(transaction), LostTerm);
}

TEST_F(JointLeader, ReplacesADeadOneThoughTheClockWentBack) {
  const auto one = NewClient();
  const auto two = NewClient();
  JointLeadership before(database.pool(), *one, {"a", "b"});
  ASSERT_TRUE(before.TryAcquire());
  SetClockBack();
  two->Beat();
  JointLeadership joint(database.pool(), *two, {"a", "b"});
  EXPECT_TRUE(joint.TryAcquire());
  EXPECT_EQ(joint.TermOf("b"), 2);
}

TEST_F(JointLeader, BeginsANewTermEachTimeAndWaitsForWhatIsUnderWay) {
  const auto one = NewClient();
  JointLeadership joint(database.pool(), *one, {"a", "b"});
  ASSERT_TRUE(joint.TryAcquire());
  sql::PoolOptions impatient = database.options();
  impatient.statement_timeout = milliseconds(1'000);
  sql::Pool pool(impatient);
  JointLeadership again(pool, *one, {"a", "b"});
  {
    sql::Transaction fenced(database.pool());
    joint.Check(fenced);
    EXPECT_THROW(again.TryAcquire(), sql::Error);
    fenced.Commit();
  }
  ASSERT_TRUE(again.TryAcquire());
  EXPECT_EQ(again.TermOf("a"), 2);
  sql::Transaction transaction(database.pool());
  EXPECT_THROW(joint.Check(transaction), LostTerm);
}

TEST_F(JointLeader, FollowerIsFencedByTheTermsOfAnotherObject) {
  const auto one = NewClient();
  JointLeadership owner(database.pool(), *one, {"a", "b"});
  JointLeadership follower(database.pool(), *one, {"a", "b"});
  const auto follow = [&] {
    sql::Transaction transaction(database.pool());
    return follower.Follow(transaction);
  };
  EXPECT_FALSE(follow());
  ASSERT_TRUE(owner.TryAcquire());
  ASSERT_TRUE(follow());
  {
    sql::Transaction fenced(database.pool());
    follower.Check(fenced);
  }
  ASSERT_TRUE(owner.TryAcquire());  // in new terms
  {
    sql::Transaction fenced(database.pool());
    EXPECT_THROW(follower.Check(fenced), LostTerm);
  }
  EXPECT_TRUE(follow());
  owner.Resign();
  EXPECT_FALSE(follow());
}

TEST_F(JointLeader, ResigningLeavesWhatAnotherHasTakenOver) {
  const auto one = NewClient();
  const auto two = NewClient();
  JointLeadership joint(database.pool(), *one, {"a", "b"});
  ASSERT_TRUE(joint.TryAcquire());
  Kill(*one);
  Leadership other(database.pool(), *two, "b");
  ASSERT_EQ(other.TryAcquire(), 2);
  joint.Resign();
  EXPECT_EQ(database.AskAll("SELECT name, client_id IS NULL FROM leaders "
                            "ORDER BY name"),
            database.AskAll("VALUES ('a', true), ('b', false)"));
}

class LeasesTakenOver : public QueueTest {
 protected:
  LeasesTakenOver() { leadership.TryAcquire(); }

  int TakeOver() {
    sql::Transaction transaction(database.pool());
    const int taken = leadership.TakeLeasesOver(transaction, {"q"});
    transaction.Commit();
    return taken;
  }

  std::unique_ptr<Client> dead = NewClient();
  std::unique_ptr<Client> next = NewClient();
  JointLeadership leadership{database.pool(), *next, {"q"}};
};

TEST_F(LeasesTakenOver, AreTheLeadersInAttemptsOfTheirOwn) {
  NewJob once = JobOf("q");
  once.max_attempts = 1;
  InsertOne(once);
  InsertMany("q", 1);
  InsertMany("other", 1);
  const Job lost = LeaseOne(*dead);
  LeaseOne(*dead, "other");
  const Job own = LeaseOne(*next);
  EXPECT_EQ(TakeOver(), 1);
  EXPECT_EQ(TakeOver(), 0);
  EXPECT_FALSE(FinishOne(lost, Outcome::kCompleted));
  EXPECT_TRUE(FinishOne(own, Outcome::kCompleted));
  Kill(*dead);
  EXPECT_EQ(jobs.Rescue(), 1);  // that of the other queue
  EXPECT_EQ(StateOf(lost.id), "running");
  Kill(*next);
  EXPECT_EQ(jobs.Rescue(), 1);
  EXPECT_EQ(StateOf(lost.id), "discarded");  // its own client died
}

TEST_F(LeasesTakenOver, AreNotOfOneWhoLeadsNoMore) {
  InsertMany("q", 1);
  const Job job = LeaseOne(*dead);
  Kill(*next);
  EXPECT_EQ(TakeOver(), 0);
  Leadership other(database.pool(), *dead, "q");
  ASSERT_EQ(other.TryAcquire(), 2);
  EXPECT_THROW(TakeOver(), LostTerm);
  EXPECT_TRUE(FinishOne(job, Outcome::kCompleted));
}

TEST_F(LeasesTakenOver, LeaveAJobThatIsJustRescued) {
  const auto ids = InsertMany("q", 1);
  LeaseOne(*dead);
  sql::Transaction rescue(database.pool());
  rescue.RunScript("UPDATE jobs SET state = 'available', client_id = NULL");
  auto taken = std::async(std::launch::async, [&] { return TakeOver(); });
  while (database.Ask("SELECT count(*) FROM pg_locks WHERE NOT granted") == "0")
    std::this_thread::yield();
  rescue.Commit();
  EXPECT_EQ(taken.get(), 0);
  EXPECT_EQ(StateOf(ids[0]), "available");
}

}  // namespace
}  // namespace fluxnetes::queue
