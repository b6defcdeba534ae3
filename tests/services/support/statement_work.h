// Measures the work of the named statements on the tables of
// statement_tables.sql, each with the arguments that statement_arguments.tsv
// has for it, on the connections of a pool that is set as the program sets it.
//
// Work is counted by PostgreSQL (EXPLAIN ANALYZE), so it is the same on a slow
// machine. Used by one thread. Throws sql::Error.
// Tests: tests/services/database/statement_work_pgtest.cc.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::testing {

struct MeasuredStatement {
  std::string name;
  bool loops = false;     // run by pools with by_index_only
  bool commands = false;  // run by other pools
  bool reads_all = false;
  std::vector<std::string> arguments;  // SQL, with K

  // Whether an argument says how many things are given.
  bool HasK() const;
};

// By name.
std::map<std::string, MeasuredStatement> ReadMeasuredStatements();

// The names of all queries in the .sql files of workers, queue and services.
std::vector<std::string> NamesInSources();

struct Work {
  double rows =
      0;  // that the nodes of the plan returned, dropped, or looked for
  double pages = 0;

  friend bool operator==(const Work&, const Work&) = default;
};

// One connection of the loops or of the commands. Plans that it has made stay,
// as those of the program do.
class StatementWork {
 public:
  // `options`: those of the test's schema.
  StatementWork(const sql::PoolOptions& options, bool loops);

  bool loops() const { return loops_; }
  const sql::Pool& pool() const { return pool_; }

  // The statement's arguments for `k` things, in SQL. Finding the things takes
  // longer than most statements.
  std::string ArgumentsOf(const MeasuredStatement& statement, int k);
  // Runs the statement with these and takes back what it changed.
  Work Measure(const MeasuredStatement& statement,
               const std::string& arguments);

 private:
  void Prepare(sql::Transaction& transaction, const std::string& name);

  const bool loops_;
  std::set<std::string> prepared_;
  sql::Pool pool_;
  sql::Pool values_;  // so that arguments leave no plan behind
};

}  // namespace fluxnetes::testing
