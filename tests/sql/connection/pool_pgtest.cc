#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/connection/pool_counts.h"
#include "sql/connection/transaction.h"
#include "tests/support/postgres.h"

namespace fluxnetes::sql {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PrivateServer;
using testing::TestDatabase;

std::string FailureOf(Pool& pool, Error::Kind kind) {
  try {
    const Transaction transaction(pool);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "there was a connection";
  return "";
}

std::string BackendOf(Pool& pool) {
  Transaction transaction(pool);
  return transaction.RunScript("SELECT pg_backend_pid()")[0].Get<std::string>(
      0);
}

TEST(Pool, AConnectionIsUsedAgain) {
  TestDatabase database(false);
  EXPECT_EQ(BackendOf(database.pool()), BackendOf(database.pool()));
}

TEST(Pool, AllInUseIsSaidAfterAWhile) {
  TestDatabase database(false);
  PoolOptions options = database.options();
  options.max_connections = 1;
  options.acquire_timeout = milliseconds(10);
  Pool pool(options);
  {
    const Transaction holder(pool);
    EXPECT_THAT(FailureOf(pool, Error::Kind::kUnavailable),
                HasSubstr("all 1 connections"));
  }
  BackendOf(pool);
}

TEST(Pool, WhoeverWaitsGetsTheConnectionThatComesBack) {
  TestDatabase database(false);
  PoolOptions options = database.options();
  options.max_connections = 2;
  Pool pool(options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) BackendOf(pool);
    });
  for (auto& thread : threads) thread.join();
}

TEST(Pool, AConnectionThatBrokeWhileIdleIsReplacedUnseen) {
  TestDatabase database(false);
  const std::string backend = BackendOf(database.pool());
  TestDatabase other(false);
  other.Ask("SELECT pg_terminate_backend(" + backend + ", 5000)");
  EXPECT_NE(BackendOf(database.pool()), backend);
}

TEST(Pool, BrokenConnectionsAreCounted) {
  TestDatabase database(false);
  Pool& pool = database.pool();
  TestDatabase other(false);
  const auto end = [&](const std::string& backend) {
    other.Ask("SELECT pg_terminate_backend(" + backend + ", 5000)");
  };
  std::string idle;
  {
    Transaction transaction(pool);
    idle = BackendOf(pool);
    const std::string in_use =
        transaction.RunScript("SELECT pg_backend_pid()")[0].Get<std::string>(0);
    EXPECT_EQ(pool.broken(), 0);
    end(in_use);
    EXPECT_THROW(transaction.RunScript("SELECT"), Error);
  }
  EXPECT_EQ(pool.broken(), 1);
  end(idle);
  BackendOf(pool);
  EXPECT_EQ(pool.broken(), 2);
  RunOutside(pool, "SELECT", milliseconds(100));  // in a session of its own
  pool.CloseAll();
  BackendOf(pool);
  EXPECT_EQ(pool.broken(), 2);
}

TEST(Pool, CloseAllEndsThoseInUseWhenTheyComeBack) {
  TestDatabase database(false);
  std::string backend;
  {
    Transaction transaction(database.pool());
    backend =
        transaction.RunScript("SELECT pg_backend_pid()")[0].Get<std::string>(0);
    database.pool().CloseAll();
    transaction.Commit();
  }
  EXPECT_NE(BackendOf(database.pool()), backend);
}

TEST(Pool, SettingsAreMadeOnEachConnection) {
  TestDatabase database(false);
  EXPECT_EQ(database.Ask("SHOW search_path"), database.schema() + ", public");
  EXPECT_EQ(database.Ask("SHOW statement_timeout"), "1min");
  EXPECT_EQ(database.Ask("SHOW timezone"), "UTC");
  EXPECT_EQ(database.Ask("SHOW application_name"), "fluxnetes");
}

TEST(Pool, AQueryThatCannotBeFailsByItsName) {
  TestDatabase database(false);
  constexpr Query kBad[] = {{"misspelt", "SELECT nothing FROM nowhere"}};
  PoolOptions options = database.options();
  options.catalogues = {kBad};
  Pool pool(options);
  for (int i = 0; i < 2; ++i) {  // again, as it has not been prepared
    try {
      RunAlone(pool, kBad[0]);
      ADD_FAILURE() << "it was run";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kStatement);
      EXPECT_THAT(error.what(), HasSubstr("misspelt"));
      EXPECT_THAT(error.what(), HasSubstr("migrated"));
    }
  }
}

TEST(Pool, AQueryIsPreparedOnceByAConnectionThatRunsIt) {
  constexpr Query kTwo[] = {{"asked", "SELECT 1"}, {"never", "SELECT 2"}};
  constexpr Query kOther = {"asked", "SELECT 3"};
  TestDatabase database(false);
  PoolOptions options = database.options();
  options.max_connections = 1;
  options.catalogues = {kTwo};
  Pool pool(options);
  const auto prepared = [&] {
    Transaction transaction(pool);
    return transaction
        .RunScript(
            "SELECT string_agg(name, ',') FROM pg_prepared_statements")[0]
        .Find<std::string>(0)
        .value_or("none");
  };
  EXPECT_EQ(prepared(), "none");
  for (int i = 0; i < 2; ++i) RunAlone(pool, kTwo[0]);
  EXPECT_EQ(prepared(), "asked");
  EXPECT_THROW(RunAlone(pool, kOther), std::logic_error);
}

TEST(Pool, TwoQueriesOfOneNameAreAFaultOfTheProgram) {
  constexpr Query kOne[] = {{"same", "SELECT 1"}};
  constexpr Query kTwo[] = {{"same", "SELECT 2"}};
  PoolOptions options;
  options.catalogues = {kOne, kTwo};
  EXPECT_THROW(Pool pool(options), std::logic_error);
}

TEST(Pool, ADatabaseThatIsAwayIsUnavailableAndNoPasswordIsTold) {
  PoolOptions options;
  options.connection =
      "host=/nonexistent user=me password=hunter2 dbname=fluxnetes";
  Pool pool(options);
  const std::string said = FailureOf(pool, Error::Kind::kUnavailable);
  EXPECT_THAT(said, HasSubstr("/nonexistent"));
  EXPECT_THAT(said, Not(HasSubstr("hunter2")));
}

TEST(Pool, ABadConnectionStringIsRefusedWithoutRepeatingIt) {
  for (const char* text :
       {"postgresql://me:hunter2/x@host/db", "hunter2", "password",
        "dbname=x hunter2", "postgresql://me:hunter2@[host/db",
        "pasword=hunter2"}) {
    PoolOptions options;
    options.connection = text;
    Pool pool(options);
    try {
      const Transaction transaction(pool);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("hunter2")));
    }
  }
}

TEST(Pool, ANameThatNoSchemaHasIsRefused) {
  for (const std::string& schema :
       {std::string(), std::string(51, 'x'), std::string("a\0b", 3)}) {
    PoolOptions options;
    options.schema = schema;
    EXPECT_THROW(Pool pool(options), std::invalid_argument);
  }
}

TEST(Pool, ARestartOfTheServerIsSurvived) {
  PrivateServer server({"fsync=off"});
  PoolOptions options;
  options.connection = server.connection();
  Pool pool(options);
  BackendOf(pool);
  server.Stop();
  FailureOf(pool, Error::Kind::kUnavailable);
  server.Start();
  BackendOf(pool);
}

// The counts of the statement of this name.
StatementCounts StatementOf(const Pool& pool, std::string_view name) {
  for (const StatementCounts& counts : CountsOf(pool).by_name)
    if (counts.name == name) return counts;
  return {};
}

TEST(Pool, StatementsAreCountedByNameWithFailuresAndTime) {
  static constexpr Query kHalf[] = {
      {"half", "SELECT pg_sleep(0.002), 1 / $1::integer"}};
  TestDatabase database(false);
  PoolOptions options = database.options();
  options.catalogues = {kHalf};
  Pool pool(options);
  RunAlone(pool, kHalf[0], 2);
  {
    Transaction transaction(pool);
    transaction.Run(kHalf[0], 2);
    EXPECT_THROW(transaction.Run(kHalf[0], 0), Error);
  }
  Transaction(pool).Commit();
  const StatementCounts half = StatementOf(pool, "half");
  EXPECT_EQ(half.calls, 3U);
  EXPECT_EQ(half.failures, 1U);
  EXPECT_GT(half.seconds, 0.004);
  EXPECT_EQ(StatementOf(pool, "BEGIN").calls, 2U);
  EXPECT_EQ(StatementOf(pool, "COMMIT").calls, 1U);
  EXPECT_EQ(CountsOf(pool).statements.Total(), 6U);
  EXPECT_EQ(CountsOf(pool).opened, 1U);
}

TEST(Pool, StatementOfMoreThanASecondIsSlowAndToldByName) {
  static constexpr Query kSleep[] = {{"sleep", "SELECT pg_sleep($1)"}};
  TestDatabase database(false);
  PoolOptions options = database.options();
  options.catalogues = {kSleep};
  Pool pool(options);
  std::vector<std::string> told;
  OnSlowStatements(pool, [&](std::string_view name, auto took) {
    EXPECT_GT(took, std::chrono::seconds(1));
    told.emplace_back(name);
  });
  RunAlone(pool, kSleep[0], 0.9);
  EXPECT_EQ(StatementOf(pool, "sleep").slow, 0U);
  RunAlone(pool, kSleep[0], 1.01);
  // One that fails is slow, too.
  EXPECT_THROW(
      Transaction(pool).RunScript(
          "SET LOCAL statement_timeout = '1010ms'; SELECT pg_sleep(9)"),
      Error);
  EXPECT_EQ(told, (std::vector<std::string>{"sleep", "script"}));
  EXPECT_EQ(StatementOf(pool, "sleep").slow, 1U);
  EXPECT_EQ(StatementOf(pool, "sleep").calls, 2U);
}

TEST(Pool, TellsWhatIsInUseAndHowLongOthersWaited) {
  TestDatabase database(false);
  PoolOptions options = database.options();
  options.max_connections = 1;
  options.acquire_timeout = milliseconds(10);
  Pool pool(options);
  {
    const Transaction holder(pool);
    EXPECT_EQ(CountsOf(pool).in_use, 1);
    EXPECT_EQ(CountsOf(pool).idle, 0);
    EXPECT_EQ(CountsOf(pool).waits.Total(), 0U);
    EXPECT_THROW(Transaction{pool}, Error);
  }
  const PoolCounts counts = CountsOf(pool);
  EXPECT_EQ(counts.in_use, 0);
  EXPECT_EQ(counts.idle, 1);
  EXPECT_EQ(counts.waits.Total(), 1U);
  EXPECT_GE(counts.waits.seconds, 0.01);
}

}  // namespace
}  // namespace fluxnetes::sql
