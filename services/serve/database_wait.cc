#include "services/serve/database_wait.h"

#include <chrono>

#include "services/config/config.h"
#include "services/console/exit_code.h"
#include "services/database/database.h"

namespace fluxnetes::services {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{500};

Config ConfigOf(const sql::PoolOptions& database) {
  Config config;
  config.database.connection = database.connection;
  config.database.schema = database.schema;
  config.database.transaction_pooling = database.transaction_pooling;
  return config;
}

std::string InWords(const Failure& failure) {
  return failure.what() + (". " + failure.next());
}

}  // namespace

std::pair<std::string, std::string> DatabaseWait::Check() const {
  try {
    OpenDatabase(ConfigOf(database_), {});
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::kSchema) return {"", InWords(failure)};
    return {InWords(failure), ""};
  } catch (const std::exception& error) {
    return {error.what(), ""};
  }
  return {"", ""};
}

// Registers the client if the database is usable; else returns the problem and
// the remedy.
std::string DatabaseWait::Try() {
  const auto [database, schema] = Check();
  if (!database.empty() || !schema.empty())
    return database.empty() ? schema : database;
  try {
    client_.Start();
  } catch (const sql::Error& error) {
    return InWords(Explain(error, ConfigOf(database_)));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool DatabaseWait::Wait() {
  std::string said;
  while (true) {
    const std::string problem = Try();
    if (!problem.empty() && problem != said) {
      log_.Warn("waiting for the database", {{"why", problem}});
      said = problem;
    }
    const auto until = std::chrono::steady_clock::now() + kBetweenTries;
    const sql::MutexLock lock(mutex_);
    if (stopped_ || problem.empty()) return !stopped_;
    while (!stopped_ && stop_asked_.WaitUntil(mutex_, until)) {
    }
    if (stopped_) return false;
  }
}

void DatabaseWait::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopped_ = true;
  }
  stop_asked_.NotifyAll();
}

}  // namespace fluxnetes::services
