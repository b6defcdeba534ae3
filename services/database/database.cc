#include "services/database/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "migrations/migrations.h"
#include "services/console/secret.h"
#include "sql/connection/transaction.h"
#include "sql/schema/migrator.h"

namespace fluxnetes::services {
namespace {

constexpr auto kWhereSet =
    "Start it, or say where it is: --database, FLUXNETES_DATABASE, "
    "database.connection in the configuration, or libpq's variables (PGHOST, "
    "...).";

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// True if a table or column of the queries is missing, or not visible to this
// role.
bool IsMissingSchema(const sql::Error& error) {
  constexpr std::array kStates = {"42P01", "42703", "42883", "3F000"};
  return std::find(kStates.begin(), kStates.end(), error.sqlstate()) !=
         kStates.end();
}

Failure NoRights(const std::string& what) {
  return Failure(
      ExitCode::kFailed, "no right to do this in the database: " + what,
      "To look, a role needs: GRANT fluxnetes_viewer TO name; to change "
      "something it must own the schema or be granted its tables.");
}

std::string Where(const Config& config) {
  return config.database.connection.empty()
             ? "as PGHOST and libpq's defaults say"
             : MaskPasswords(config.database.connection);
}

Failure NoDatabase(const sql::Error& error, const Config& config) {
  const std::string what = MaskPasswords(error.what());
  if (error.sqlstate() == "25006")
    return Failure(ExitCode::kNoDatabase,
                   "this database takes no changes now: " + what,
                   "It is a standby or set to read only: name the primary by "
                   "--database, or FLUXNETES_DATABASE.");
  if (!error.sqlstate().empty())
    return Failure(ExitCode::kNoDatabase,
                   "the database cannot do it at the moment: " + what,
                   "Nothing was changed; try again when it has room.");
  if (Contains(what, "password") || Contains(what, "authentication"))
    return Failure(ExitCode::kNoDatabase,
                   "the database does not let us in: " + what,
                   "Put the password into ~/.pgpass or PGPASSWORD, and check "
                   "the user.");
  return Failure(ExitCode::kNoDatabase,
                 fmt::format("the database cannot be reached ({}): {}",
                             Where(config), what),
                 kWhereSet);
}

// Throws unless the schema is current. The pool must have no prepared queries.
void CheckSchema(sql::Pool& pool, const Config& config) {
  const std::string& schema = config.database.schema;
  sql::SchemaState state{};
  try {
    state = sql::Migrator(pool, migrations::All()).Validate();
  } catch (const sql::Error& error) {
    if (IsMissingSchema(error)) throw NoRights("the schema cannot be read");
    throw Explain(error, config);
  }
  switch (state) {
    case sql::SchemaState::kCurrent:
      return;
    case sql::SchemaState::kBehind:
      throw Failure(
          ExitCode::kSchema,
          fmt::format("the schema '{}' is missing or older than this program",
                      schema),
          "Run `fluxnetes migrate up`.");
    case sql::SchemaState::kNewer:
      throw Failure(
          ExitCode::kSchema,
          fmt::format("the schema '{}' is newer than this program", schema),
          "Use the newer fluxnetes that made it; `fluxnetes migrate status` "
          "lists what it has.");
    case sql::SchemaState::kChanged:
      throw Failure(
          ExitCode::kSchema,
          fmt::format("the schema '{}' was made by other scripts than those of "
                      "this program",
                      schema),
          "`fluxnetes migrate status` lists which differ; use the fluxnetes "
          "that made it, or --schema with another name.");
  }
}

}  // namespace

sql::PoolOptions DatabaseOptions(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues) {
  sql::PoolOptions options;
  options.connection = config.database.connection;
  options.schema = config.database.schema;
  options.max_connections = config.database.max_connections;
  options.transaction_pooling = config.database.transaction_pooling;
  options.catalogues = std::move(catalogues);
  return options;
}

std::unique_ptr<sql::Pool> ConnectDatabase(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues) {
  try {
    auto pool = std::make_unique<sql::Pool>(
        DatabaseOptions(config, std::move(catalogues)));
    const sql::Transaction reached(*pool, sql::Isolation::kReadOnly);
    return pool;
  } catch (const std::invalid_argument& error) {
    throw Failure(ExitCode::kUsage, MaskPasswords(error.what()), kWhereSet);
  }
}

std::unique_ptr<sql::Pool> OpenDatabase(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues) {
  try {
    auto pool = ConnectDatabase(config, std::move(catalogues));
    CheckSchema(*pool, config);
    return pool;
  } catch (const sql::Error& error) {
    if (!IsMissingSchema(error)) throw Explain(error, config);
    const auto bare = ConnectDatabase(config, {});
    CheckSchema(*bare, config);
    throw Explain(error, config);
  }
}

Failure Explain(const sql::Error& error, const Config& config) {
  const std::string what = MaskPasswords(error.what());
  switch (error.kind()) {
    case sql::Error::Kind::kUnavailable:
      return NoDatabase(error, config);
    case sql::Error::Kind::kConnection:
      return Failure(ExitCode::kNoDatabase,
                     "the connection to the database broke: " + what,
                     "Try again; nothing was changed.");
    case sql::Error::Kind::kInDoubt:
      return Failure(
          ExitCode::kNoDatabase,
          "the connection broke while a change was under way: " + what,
          "It may or may not have been made: look before you try "
          "again.");
    case sql::Error::Kind::kRolledBack:
      if (error.sqlstate() == "57014")
        return Failure(ExitCode::kFailed, "the database took too long: " + what,
                       "Ask for less: --limit, --queue, --state.");
      return Failure(ExitCode::kFailed,
                     "the transaction was rolled back: " + what,
                     "Try again; nothing was changed.");
    case sql::Error::Kind::kStatement:
      break;
  }
  if (error.sqlstate() == "42501") return NoRights(what);
  if (IsMissingSchema(error))
    return Failure(ExitCode::kSchema, "the schema does not fit: " + what,
                   "`fluxnetes migrate status` lists what it has; `fluxnetes "
                   "doctor` looks at all of it.");
  return Failure(
      ExitCode::kFailed, "the database refused it: " + what,
      "Nothing was changed; `fluxnetes doctor` looks for the cause.");
}

}  // namespace fluxnetes::services
