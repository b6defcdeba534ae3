// A real PostgreSQL for tests: one private server for the whole run, with a
// schema for each test, and a database for each that needs our tables.
//
//   TestDatabase database;                       // migrated to the newest
//   WorkQueue queue(database.pool());
//   EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
//
// The server is the one named by FLUXNETES_TEST_POSTGRES (a connection string,
// for a role that may create databases); else hack/postgres starts one in a
// temporary folder when the first test needs it. That one is stopped and its
// folder removed when the process ends, however it ends.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/schema/migrator.h"
#include "tests/support/script.h"

namespace fluxnetes::testing {

// The connection string of the tests' server; starts the server if necessary.
// Its role is a superuser if we started the server.
const std::string& TestServer();

// A private server that a test may stop, start and break.
class PrivateServer {
 public:
  // `settings`: "name=value" each.
  explicit PrivateServer(std::vector<std::string> settings = {});
  ~PrivateServer();
  PrivateServer(const PrivateServer&) = delete;
  PrivateServer& operator=(const PrivateServer&) = delete;

  const std::string& connection() const { return connection_; }
  const std::string& folder() const { return folder_; }

  void Stop();
  void Start();
  void Restart() {
    Stop();
    Start();
  }
  // Stops without a checkpoint (-m immediate): the next start recovers.
  void StopAtOnce();
  // Kills all its processes at once (SIGKILL).
  void Kill();
  // Suspends all its processes: it accepts connections and answers nothing.
  void Pause();
  void Resume();

 private:
  std::vector<pid_t> Processes() const;
  void SignalAll(int signal) const;
  void WaitForEnd(const std::vector<pid_t>& processes) const;

  std::vector<std::string> settings_;
  std::string folder_;
  std::string connection_;
  std::optional<Lifeline> lifeline_;  // stops the server
  bool paused_ = false;
};

class TestDatabase {
 public:
  // Uses a fresh schema. On the tests' server, a migrated one is in a database
  // of its own; on `connection`, in the database that it names.
  explicit TestDatabase(bool migrated = true,
                        const std::string& connection = TestServer());
  ~TestDatabase();  // drops what it made
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  // Prepares all catalogues named in Catalogues().
  sql::Pool& pool() { return *pool_; }
  // For further pools and listeners on the same schema.
  sql::PoolOptions options() const { return options_; }
  const std::string& schema() const { return options_.schema; }

  // Replaces the pool by one that has these queries prepared.
  void UseCatalogues(std::vector<std::span<const sql::Query>> catalogues);

  // The first column of the first row as text; "NULL" for null, "" for no row.
  std::string Ask(const std::string& sql);
  // All rows: columns separated by '|', rows by a newline.
  std::string AskAll(const std::string& sql);
  void Execute(const std::string& sql);

 private:
  sql::PoolOptions options_;
  std::unique_ptr<sql::Pool> pool_;
  std::string
      copy_;  // of the template (database_template.h); empty: it is none
};

}  // namespace fluxnetes::testing
