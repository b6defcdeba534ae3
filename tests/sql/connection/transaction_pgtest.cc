#include <gtest/gtest.h>

#include <stdexcept>

#include "sql/connection/transaction.h"
#include "tests/support/postgres.h"
#include "tests/support/relay.h"

namespace fluxnetes::sql {
namespace {

using std::chrono::milliseconds;
using testing::PrivateServer;
using testing::Relay;
using testing::TestDatabase;

constexpr Query kQueries[] = {
    {"add", "INSERT INTO t (n) VALUES ($1)"},
    {"echo",
     "SELECT $1::text AS text, $2::bigint AS number, $3::boolean AS truth, "
     "$4::timestamptz AS time, $5::double precision AS real, "
     "$6::text[] AS texts, $7::bigint[] AS numbers, NULL AS nothing"}};
const Query& kAdd = kQueries[0];
const Query& kEcho = kQueries[1];

// A table `t` of unique numbers.
class TransactionTest : public ::testing::Test {
 protected:
  TransactionTest() { Prepare(database); }

  static void Prepare(TestDatabase& fresh) {
    fresh.Execute("CREATE SCHEMA IF NOT EXISTS " + fresh.schema() +
                  "; CREATE TABLE t (n bigint, CONSTRAINT t_once UNIQUE (n) "
                  "DEFERRABLE INITIALLY IMMEDIATE)");
    fresh.UseCatalogues({kQueries});
  }

  PoolOptions OneConnection() {
    PoolOptions options = database.pool().options();
    options.max_connections = 1;
    return options;
  }

  Error FailureOf(const std::string& script) {
    Transaction transaction(database.pool());
    try {
      transaction.RunScript(script);
    } catch (const Error& error) {
      return error;
    }
    throw std::runtime_error("did not fail: " + script);
  }

  TestDatabase database{false};
};

TEST_F(TransactionTest, OnlyOneThatIsToldSoDoesNotWaitForTheDisk) {
  Pool pool(OneConnection());
  {
    Transaction transaction(pool);
    transaction.RunScript("SET synchronous_commit = local");
    transaction.Commit();
  }
  const auto waits = [&](Durability durability) {
    Transaction transaction(pool, Isolation::kReadCommitted, durability);
    return transaction.RunScript("SHOW synchronous_commit")[0].Get<std::string>(
        0);
  };
  EXPECT_EQ(waits(Durability::kNoWait), "off");
  EXPECT_EQ(waits(Durability::kWait), "local");
}

TEST_F(TransactionTest, BehindAProxyEachWaitsForTheDisk) {
  PoolOptions options = OneConnection();
  options.transaction_pooling = true;
  Pool pool(options);
  const auto waits = [&](Durability durability) {
    Transaction transaction(pool, Isolation::kReadCommitted, durability);
    return transaction.RunScript("SHOW synchronous_commit")[0].Get<std::string>(
        0);
  };
  EXPECT_EQ(waits(Durability::kNoWait), waits(Durability::kWait));
}

TEST_F(TransactionTest, IsUndoneUnlessCommitted) {
  {
    Transaction transaction(database.pool());
    EXPECT_EQ(transaction.Run(kAdd, 1).affected(), 1u);
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM t"), "0");
  Transaction transaction(database.pool());
  transaction.Run(kAdd, 1);
  transaction.Commit();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM t"), "1");
  EXPECT_THROW(transaction.Commit(), std::logic_error);
  EXPECT_THROW(transaction.Run(kAdd, 2), std::logic_error);
}

TEST_F(TransactionTest, ValuesComeBackAsTheyWent) {
  const Timestamp time(std::chrono::microseconds(1'700'000'000'123'456));
  const std::vector<std::string> texts = {"a\"b", "", "{,}", "ü"};
  const std::vector<std::int64_t> numbers = {1, -2};
  Transaction transaction(database.pool());
  const Result result = transaction.Run(kEcho, "q'uote\\", 1LL << 60, true,
                                        time, 0.1, texts, numbers);
  const Row row = result[0];
  EXPECT_EQ(row.Get<std::string>("text"), "q'uote\\");
  EXPECT_EQ(row.Get<std::string_view>("text"), "q'uote\\");
  EXPECT_EQ(row.Get<std::int64_t>("number"), 1LL << 60);
  EXPECT_TRUE(row.Get<bool>("truth"));
  EXPECT_EQ(row.Get<Timestamp>("time"), time);
  EXPECT_EQ(row.Get<double>("real"), 0.1);
  EXPECT_EQ(row.Get<std::vector<std::string>>("texts"), texts);
  EXPECT_EQ(row.Get<std::vector<std::int64_t>>("numbers"), numbers);
  EXPECT_EQ(row.Find<std::string>("nothing"), std::nullopt);
  EXPECT_EQ(result.columns().size(), 8u);
}

TEST_F(TransactionTest, AMisreadResultIsAFaultOfTheProgram) {
  Transaction transaction(database.pool());
  const Result result =
      transaction.RunScript("SELECT 'x' AS x, NULL AS n, 3000000000 AS big");
  EXPECT_THROW(result[0].Get<int>("x"), std::logic_error);
  EXPECT_THROW(result[0].Get<int>("n"), std::logic_error);
  EXPECT_THROW(result[0].Get<int>("big"), std::logic_error);
  EXPECT_THROW(result[0].Get<int>("none"), std::logic_error);
  EXPECT_THROW(result[0].Get<int>(3), std::logic_error);
  EXPECT_THROW(result[1].Get<int>(0), std::logic_error);
}

TEST_F(TransactionTest, AResultOutlivesItsTransaction) {
  Result result;
  EXPECT_TRUE(result.empty());
  {
    Transaction transaction(database.pool());
    result = transaction.RunScript("SELECT generate_series(1, 3)");
  }
  int sum = 0;
  for (const Row row : result) sum += row.Get<int>(0);
  EXPECT_EQ(sum, 6);
}

TEST_F(TransactionTest, WhatPostgresRefusesSaysWhy) {
  const Error twice = FailureOf("INSERT INTO t VALUES (1), (1)");
  EXPECT_EQ(twice.kind(), Error::Kind::kStatement);
  EXPECT_EQ(twice.sqlstate(), "23505");
  EXPECT_EQ(twice.constraint(), "t_once");
  EXPECT_FALSE(twice.MayRetry());
  EXPECT_EQ(FailureOf("SELEC 1").kind(), Error::Kind::kStatement);
}

TEST_F(TransactionTest, AFailureInTheCommitIsNotInDoubt) {
  Transaction transaction(database.pool());
  transaction.RunScript(
      "SET CONSTRAINTS t_once DEFERRED; INSERT INTO t VALUES (1), (1)");
  try {
    transaction.Commit();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kStatement);
    EXPECT_EQ(error.constraint(), "t_once");
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM t"), "0");
}

TEST_F(TransactionTest, AfterAFailureOnlyTheEndMayFollow) {
  Transaction transaction(database.pool());
  EXPECT_THROW(transaction.RunScript("SELECT 1/0"), Error);
  EXPECT_THROW(transaction.RunScript("SELECT 1"), std::logic_error);
  EXPECT_THROW(transaction.Commit(), std::logic_error);
}

TEST_F(TransactionTest, WhatIsRolledBackMayBeTriedAgain) {
  for (const char* sqlstate : {"40001", "40P01", "55P03", "57014"}) {
    const Error error =
        FailureOf("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '" +
                  std::string(sqlstate) + "'; END $$");
    EXPECT_EQ(error.kind(), Error::Kind::kRolledBack) << sqlstate;
    EXPECT_EQ(error.sqlstate(), sqlstate);
    EXPECT_TRUE(error.MayRetry());
  }
  for (const char* sqlstate : {"53100", "53200", "25006", "57P03"})
    EXPECT_EQ(FailureOf("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '" +
                        std::string(sqlstate) + "'; END $$")
                  .kind(),
              Error::Kind::kUnavailable)
        << sqlstate;
}

TEST_F(TransactionTest, EveryErrorKeepsItsSqlstate) {
  for (const char* sqlstate :
       {"22P02", "23502", "23503", "23505", "23514", "25006", "42501", "42601",
        "42P01", "42703", "53100", "53200", "P0001", "P0002", "0A000", "XX000"})
    EXPECT_EQ(FailureOf("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '" +
                        std::string(sqlstate) + "'; END $$")
                  .sqlstate(),
              sqlstate);
}

TEST_F(TransactionTest, AStatementHasItsTimeLimit) {
  PoolOptions options = database.options();
  options.statement_timeout = milliseconds(1'000);
  Pool pool(options);
  Transaction transaction(pool);
  EXPECT_THROW(transaction.RunScript("SELECT pg_sleep(60)"), Error);
}

TEST_F(TransactionTest, AnIdleTransactionIsUndoneByTheServer) {
  PoolOptions options = database.options();
  options.idle_transaction_timeout = milliseconds(1'000);
  Pool pool(options);
  Transaction idle(pool);
  idle.RunScript("LOCK TABLE t");
  database.Execute("LOCK TABLE t");  // waits until the server ends the idle one
  try {
    idle.RunScript("SELECT 1");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kConnection);
  }
}

TEST_F(TransactionTest, AReadOnlyOneWritesNothing) {
  Transaction transaction(database.pool(), Isolation::kReadOnly);
  EXPECT_THROW(transaction.Run(kAdd, 1), Error);
}

TEST_F(TransactionTest, CopyTakesWhateverAColumnHolds) {
  database.Execute("CREATE TABLE c (a text, b text)");
  const std::string nasty = "\\N\t\n\r\\.\\\"ü";
  Transaction transaction(database.pool());
  transaction.Copy("c", {"a", "b"}, 2, [&](std::size_t i, CopyRow& row) {
    row.Text(i == 0 ? nasty : "\\.");
    if (i == 0) {
      row.Null();
    } else {
      row.Text("");
    }
  });
  EXPECT_EQ(transaction.RunScript("SELECT a FROM c WHERE b IS NULL")[0]
                .Get<std::string>(0),
            nasty);
  EXPECT_EQ(
      transaction.RunScript("SELECT a FROM c WHERE b = ''")[0].Get<std::string>(
          0),
      "\\.");
}

TEST_F(TransactionTest, ARowThatCannotBeMadeUndoesTheCopy) {
  for (const int fields : {0, 2}) {
    Transaction transaction(database.pool());
    EXPECT_THROW(transaction.Copy("t", {"n"}, 1,
                                  [&](std::size_t, CopyRow& row) {
                                    for (int i = 0; i < fields; ++i)
                                      row.Integer(1, 8);
                                  }),
                 std::logic_error);
    EXPECT_THROW(transaction.Commit(), std::logic_error);
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM t"), "0");
}

TEST_F(TransactionTest, ABrokenCopyIsAnErrorAndTheConnectionStaysGood) {
  {
    Transaction transaction(database.pool());
    EXPECT_THROW(transaction.Copy("t", {"n"}, 2,
                                  [](std::size_t i, CopyRow& row) {
                                    row.Integer(1, i == 0 ? 8 : 2);
                                  }),
                 Error);
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM t"), "0");
}

TEST_F(TransactionTest, AZeroByteIsRefusedAndNotCut) {
  Transaction transaction(database.pool());
  EXPECT_THROW(
      transaction.Run(kEcho, std::string("a\0b", 3), 1, true, Timestamp(), 0.0,
                      std::vector<std::string>(), std::vector<int>()),
      std::invalid_argument);
}

TEST_F(TransactionTest, AConnectionLostBeforeTheCommitIsNotInDoubt) {
  Transaction transaction(database.pool());
  transaction.Run(kAdd, 1);
  try {
    transaction.RunScript("SELECT pg_terminate_backend(pg_backend_pid())");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kConnection);
    EXPECT_TRUE(error.MayRetry());
  }
}

TEST_F(TransactionTest, AServerThatDiesInTheCommitLeavesItInDoubt) {
  database.Execute(
      "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; "
      "END'; CREATE CONSTRAINT TRIGGER die AFTER INSERT ON t "
      "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()");
  Transaction transaction(database.pool());
  transaction.Run(kAdd, 1);
  try {
    transaction.Commit();
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.InDoubt());
    EXPECT_FALSE(error.MayRetry());
  }
}

class InDoubt : public ::testing::TestWithParam<Relay::Cut> {};

TEST_P(InDoubt, ACommitWhoseAnswerIsLostMayHaveHappened) {
  static const PrivateServer server({"fsync=off"});
  Relay relay(server.folder());
  TestDatabase database(false, server.connection());
  database.Execute("CREATE SCHEMA " + database.schema() +
                   "; CREATE TABLE t (n bigint)");
  PoolOptions options = database.options();
  options.connection = relay.connection();
  options.catalogues = {kQueries};
  Pool pool(options);

  Transaction transaction(pool);
  transaction.Run(kAdd, 1);
  relay.Arm("COMMIT", GetParam());
  try {
    transaction.Commit();
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.InDoubt());
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM t"),
            GetParam() == Relay::Cut::kAfterTheServer ? "1" : "0");

  RunAlone(pool, kAdd, 2);
  relay.Arm("add", GetParam());
  try {
    RunAlone(pool, kAdd, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.InDoubt());
  }
  RunAlone(pool, kAdd, 4);
}

INSTANTIATE_TEST_SUITE_P(Transaction, InDoubt,
                         ::testing::Values(Relay::Cut::kBeforeTheServer,
                                           Relay::Cut::kAfterTheServer));

}  // namespace
}  // namespace fluxnetes::sql
