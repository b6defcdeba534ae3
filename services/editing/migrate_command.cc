#include "services/editing/migrate_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "migrations/migrations.h"
#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/database/database.h"
#include "sql/schema/migrator.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

ExitCode Up(sql::Migrator& migrator, const Config& config, Console& console) {
  std::vector<int> applied;
  try {
    applied = migrator.Up();
  } catch (const sql::Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw Failure(ExitCode::kSchema, error.what(),
                  "Use the newer fluxnetes that made it; a schema is never "
                  "taken back.");
  }
  for (const int version : applied)
    for (const sql::Migration& migration : migrations::All())
      if (migration.version == version)
        console.out << fmt::format("applied {:04} {}\n", version,
                                   migration.name);
  console.out << fmt::format("The schema '{}' is up to date{}.\n",
                             config.database.schema,
                             applied.empty() ? " already" : "");
  return ExitCode::kOk;
}

const char* StateOf(const sql::MigrationStatus& status) {
  if (!status.applied_at) return "missing";
  if (status.version > static_cast<int>(migrations::All().size()))
    return "newer than this program";
  return status.changed ? "changed" : "applied";
}

ExitCode ShowStatus(sql::Migrator& migrator, const MigrateOptions& options,
                    Console& console) {
  Table table({">VERSION", "NAME", "STATE", "APPLIED (UTC)"});
  OrderedJson items = OrderedJson::array();
  for (const sql::MigrationStatus& status : migrator.Status()) {
    const std::string at =
        status.applied_at ? ShortTime(*status.applied_at) : "";
    table.Add(
        {std::to_string(status.version), status.name, StateOf(status), at});
    items.push_back({{"version", status.version},
                     {"name", status.name},
                     {"state", StateOf(status)},
                     {"appliedAt", status.applied_at ? OrderedJson(Rfc3339(
                                                           *status.applied_at))
                                                     : OrderedJson()}});
  }
  if (options.output == OutputFormat::kTable)
    console.out << table.Text({.columns = console.size().first});
  else
    console.out << Write(ListOf("MigrationList", std::move(items)),
                         options.output);
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunMigrate(const MigrateOptions& options, const Config& config,
                    Console& console) {
  if (options.verb == MigrateOptions::Verb::kValidate) {
    OpenDatabase(config, {});
    console.out << fmt::format(
        "The schema '{}' is the one that this program "
        "needs.\n",
        config.database.schema);
    return ExitCode::kOk;
  }
  const auto pool = ConnectDatabase(config, {});
  sql::Migrator migrator(*pool, migrations::All());
  return options.verb == MigrateOptions::Verb::kUp
             ? Up(migrator, config, console)
             : ShowStatus(migrator, options, console);
}

}  // namespace fluxnetes::services
