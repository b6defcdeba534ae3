#include "tests/support/database_template.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "migrations/migrations.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "sql/schema/migrator.h"

namespace fluxnetes::testing {
namespace {

sql::PoolOptions OneConnection(const std::string& connection) {
  sql::PoolOptions options;
  options.connection = connection;
  options.max_connections = 1;
  options.acquire_timeout = std::chrono::seconds(30);
  return options;
}

void RunOutside(sql::Pool& pool, const std::string& statement) {
  sql::RunOutside(pool, statement, std::chrono::milliseconds{0});
}

std::string TemplateName() {
  std::string scripts;
  for (const sql::Migration& migration : migrations::All())
    scripts += migration.script;
  const auto day = std::chrono::duration_cast<std::chrono::days>(
      std::chrono::system_clock::now().time_since_epoch());
  return fmt::format("fluxnetes_template_{:x}_{}",
                     std::hash<std::string>()(scripts), day.count());
}

// A template that was made in part has another name.
std::string MakeTemplate(const std::string& connection) {
  const std::string name = TemplateName();
  sql::Pool pool(OneConnection(connection));
  // One process makes it. The lock is held by a transaction of its own, since
  // RunOutside() ends its session.
  sql::Pool guard(OneConnection(connection));
  sql::Transaction lock(guard);
  lock.RunScript(
      "SELECT pg_advisory_xact_lock(hashtext('fluxnetes_template'))");
  {
    sql::Transaction transaction(pool);
    if (!transaction
             .RunScript("SELECT FROM pg_database WHERE datname = '" + name +
                        "'")
             .empty())
      return name;
  }
  const std::string unfinished = "unfinished_" + name;
  RunOutside(pool, "DROP DATABASE IF EXISTS " + unfinished);
  RunOutside(pool, "CREATE DATABASE " + unfinished);
  {
    sql::PoolOptions options =
        OneConnection(WithDatabase(connection, unfinished));
    options.schema = kCopySchema;
    sql::Pool bare(options);
    sql::Migrator(bare, migrations::All()).Up();
  }
  RunOutside(pool,
             fmt::format("ALTER DATABASE {} RENAME TO {}", unfinished, name));
  return name;
}

}  // namespace

std::string WithDatabase(const std::string& connection,
                         const std::string& database) {
  // The last of several values counts.
  if (connection.find("://") == std::string::npos)
    return connection + " dbname=" + database;
  const bool has_query = connection.find('?') != std::string::npos;
  return connection + (has_query ? "&dbname=" : "?dbname=") + database;
}

std::string CopyTemplate(const std::string& connection,
                         const std::string& name) {
  static const std::string original = MakeTemplate(connection);
  sql::Pool pool(OneConnection(connection));
  RunOutside(pool, fmt::format("CREATE DATABASE {} TEMPLATE {} "
                               "STRATEGY file_copy",
                               name, original));
  return WithDatabase(connection, name);
}

void DropCopy(const std::string& connection, const std::string& name) {
  sql::Pool pool(OneConnection(connection));
  RunOutside(pool,
             fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", name));
}

}  // namespace fluxnetes::testing
