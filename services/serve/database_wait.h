// Waits at the start of a scheduler until the database can be used: it answers,
// its schema is current, and this process is registered as a client.
//
//   if (!database_wait.Wait()) return;  // stopped before
//
// Stop() and Check() are for any thread.
// Tests: tests/services/serve/database_trouble_pgtest.cc.
#pragma once

#include <string>
#include <utility>

#include "queue/clients/client.h"
#include "services/config/log.h"
#include "sql/condition_variable.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class DatabaseWait {
 public:
  DatabaseWait(sql::PoolOptions database, queue::Client& client, const Log& log)
      : database_(std::move(database)), client_(client), log_(log) {}

  // Logs each new problem once. Returns false if Stop() was called.
  bool Wait() EXCLUDES(mutex_);
  void Stop() EXCLUDES(mutex_);

  // Returns the problem of the database and that of its schema, each empty if
  // there is none.
  std::pair<std::string, std::string> Check() const;

 private:
  std::string Try();

  const sql::PoolOptions database_;
  queue::Client& client_;
  const Log& log_;
  sql::Mutex mutex_;
  sql::ConditionVariable stop_asked_;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace fluxnetes::services
