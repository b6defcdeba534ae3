#include <atomic>

#include "queue/clients/client.h"
#include "queue/clients/leadership.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

class ClientTest : public QueueTest {};
class Leader : public QueueTest {};

TEST_F(ClientTest, ALateHeartbeatMakesItRegisterAnewAndSaySo) {
  const auto client = NewClient();
  std::int64_t told = 0;
  client->OnLost([&](std::int64_t id) { told = id; });
  const auto first = client->id();
  client->Beat();
  EXPECT_EQ(client->id(), first);
  EXPECT_EQ(told, 0);
  Kill(*client);
  client->Beat();
  EXPECT_NE(client->id(), first);
  EXPECT_EQ(told, client->id());
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "1");
}

TEST_F(ClientTest, WhatItHeldBeforeIsLost) {
  InsertOne(JobOf("q"));
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  Kill(*client);
  client->Beat();
  EXPECT_EQ(jobs.Rescue(), 1);
  EXPECT_FALSE(FinishOne(job, Outcome::kCompleted));
  EXPECT_EQ(LeaseOne(*client).attempt, 2);
}

TEST_F(ClientTest, NothingIsRunningAfterItsStop) {
  InsertMany("q", 3);
  const auto client = NewClient();
  jobs.Lease("q", client->id(), 3);
  Leadership leadership(database.pool(), *client, "match");
  EXPECT_TRUE(leadership.TryAcquire());
  client->Stop();
  client->Stop();
  EXPECT_EQ(client->id(), 0);
  EXPECT_EQ(database.AskAll("SELECT state, max_attempts - attempt FROM jobs "
                            "GROUP BY 1, 2"),
            "available|25");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "0");
  EXPECT_EQ(database.Ask("SELECT client_id FROM leaders"), "NULL");
}

TEST_F(ClientTest, ItsThreadKeepsItAlive) {
  Client client(database.pool(), {.time_to_live = milliseconds(2'000),
                                  .heartbeat = milliseconds(5)});
  client.Start();
  const std::string first = database.Ask("SELECT heartbeat_at FROM clients");
  while (database.Ask("SELECT heartbeat_at FROM clients") == first) {
  }
  client.Stop();
}

TEST_F(ClientTest, AHundredStartsAndStopsLeaveNothing) {
  for (int i = 0; i < 100; ++i) {
    Client client(database.pool(), {});
    client.Start();
    client.Stop();
  }
  Client never(database.pool(), {});
  never.Stop();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "0");
}

TEST_F(ClientTest, AHeartbeatThatCannotLastIsRefused) {
  EXPECT_THROW(Client(database.pool(), {.time_to_live = milliseconds(100),
                                        .heartbeat = milliseconds(100)}),
               std::invalid_argument);
}

TEST_F(Leader, ThereIsOnlyOne) {
  const auto one = NewClient();
  const auto two = NewClient();
  Leadership first(database.pool(), *one, "match");
  Leadership second(database.pool(), *two, "match");
  EXPECT_EQ(first.TryAcquire(), 1);
  EXPECT_EQ(first.TryAcquire(), 1);
  EXPECT_EQ(second.TryAcquire(), std::nullopt);
  Leadership other(database.pool(), *two, "intake");
  EXPECT_EQ(other.TryAcquire(), 1);
}

TEST_F(Leader, ADeadOneIsReplacedInANewTerm) {
  const auto one = NewClient();
  const auto two = NewClient();
  Leadership first(database.pool(), *one, "match");
  Leadership second(database.pool(), *two, "match");
  first.TryAcquire();
  Kill(*one);
  EXPECT_EQ(second.TryAcquire(), 2);
  EXPECT_EQ(first.TryAcquire(), std::nullopt);
  sql::Transaction transaction(database.pool());
  EXPECT_THROW(first.Check(transaction, 1), LostTerm);
  second.Check(transaction, 2);
}

// A dead client must not count as alive until the clock has caught up.
TEST_F(Leader, ADeadOneIsReplacedThoughTheClockWentBack) {
  const auto one = NewClient();
  const auto two = NewClient();
  Leadership first(database.pool(), *one, "match");
  Leadership second(database.pool(), *two, "match");
  first.TryAcquire();
  SetClockBack();
  two->Beat();
  EXPECT_EQ(second.TryAcquire(), 2);
  EXPECT_EQ(first.TryAcquire(), std::nullopt);
}

TEST_F(ClientTest, WhatADeadOneHeldRunsAgainThoughTheClockWentBack) {
  InsertOne(JobOf("q"));
  const auto dead = NewClient();
  const auto alive = NewClient();
  LeaseOne(*dead);
  SetClockBack();
  const auto id = alive->id();
  alive->Beat();
  EXPECT_EQ(alive->id(), id);
  EXPECT_EQ(jobs.Rescue(), 1);
  EXPECT_EQ(LeaseOne(*alive).attempt, 2);
}

TEST_F(Leader, OneThatWasPausedAndComesBackCommitsNothing) {
  const auto paused = NewClient();
  Leadership first(database.pool(), *paused, "match");
  const auto term = first.TryAcquire();
  Kill(*paused);
  const auto other = NewClient();
  Leadership second(database.pool(), *other, "match");
  ASSERT_EQ(second.TryAcquire(), 2);
  paused->Beat();
  sql::Transaction transaction(database.pool());
  EXPECT_THROW(first.Check(transaction, *term), LostTerm);
  EXPECT_EQ(first.TryAcquire(), std::nullopt);
}

TEST_F(Leader, ATakeoverWaitsForTheFencedTransaction) {
  const auto one = NewClient();
  const auto two = NewClient();
  Leadership first(database.pool(), *one, "match");
  const auto term = first.TryAcquire();
  Kill(*one);
  sql::PoolOptions impatient = database.options();
  impatient.statement_timeout = milliseconds(1'000);
  sql::Pool pool(impatient);
  Leadership second(pool, *two, "match");
  {
    sql::Transaction fenced(database.pool());
    first.Check(fenced, *term);
    EXPECT_THROW(second.TryAcquire(), sql::Error);
    fenced.Commit();
  }
  EXPECT_EQ(second.TryAcquire(), 2);
}

TEST_F(Leader, ResigningHandsOverAtOnceAHundredTimes) {
  const auto one = NewClient();
  const auto two = NewClient();
  Leadership first(database.pool(), *one, "match");
  Leadership second(database.pool(), *two, "match");
  for (int term = 1; term <= 100; term += 2) {
    ASSERT_EQ(first.TryAcquire(), term);
    first.Resign();
    ASSERT_EQ(second.TryAcquire(), term + 1);
    second.Resign();
  }
}

TEST_F(Leader, OneWhoIsNotRegisteredCannotLead) {
  const auto client = NewClient();
  Kill(*client);
  Leadership leadership(database.pool(), *client, "match");
  EXPECT_EQ(leadership.TryAcquire(), std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::queue
