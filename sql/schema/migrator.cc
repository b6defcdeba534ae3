#include "sql/schema/migrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sql/connection/connection.h"
#include "sql/connection/transaction.h"
#include "sql/schema/migrator_queries.h"

namespace fluxnetes::sql {

Migrator::Migrator(Pool& pool, std::span<const Migration> migrations)
    : pool_(pool), migrations_(migrations) {}

std::vector<int> Migrator::Up() {
  PrepareSchema();
  std::vector<int> applied;
  while (const std::optional<int> version = ApplyNext())
    applied.push_back(*version);
  OfferSearchPath();
  return applied;
}

// In one transaction, under the lock: creates the schema and its version table.
void Migrator::PrepareSchema() {
  Transaction transaction(pool_);
  const std::string& schema = pool_.options().schema;
  Lock(transaction);
  if (!Ask<bool>(transaction, queries::kSchemaExists, {schema}))
    transaction.RunScript("CREATE SCHEMA " + QuoteIdentifier(schema));
  if (!Ask<bool>(transaction, queries::kVersionTableExists, {schema}))
    transaction.RunScript(queries::kCreateVersionTable.text);
  transaction.Commit();
}

std::optional<int> Migrator::ApplyNext() {
  Transaction transaction(pool_);
  Lock(transaction);
  const int highest = Ask<int>(transaction, queries::kHighestVersion, {});
  if (!migrations_.empty() && highest > migrations_.back().version)
    throw std::runtime_error(fmt::format(
        "the schema {} is at version {}, made by a newer program; this one "
        "knows versions up to {}",
        pool_.options().schema, highest, migrations_.back().version));
  const auto next = std::ranges::find_if(
      migrations_,
      [&](const Migration& migration) { return migration.version > highest; });
  if (next == migrations_.end()) return std::nullopt;
  transaction.RunScript(next->script);
  transaction.RunUnprepared(queries::kRecordVersion.text,
                            {next->version, next->name, next->script});
  transaction.Commit();
  return next->version;
}

// Sets the search_path, so that names work as typed in psql. A failure is
// ignored, and a search_path set before, perhaps for another schema, is kept.
void Migrator::OfferSearchPath() try {
  Transaction transaction(pool_);
  if (Ask<bool>(transaction, queries::kSearchPathIsSet, {})) return;
  transaction.RunScript(
      fmt::format("ALTER DATABASE {} SET search_path = {}, public",
                  Ask<std::string>(transaction, queries::kDatabaseName, {}),
                  QuoteIdentifier(pool_.options().schema)));
  transaction.Commit();
} catch (const Error& error) {
  if (error.kind() != Error::Kind::kStatement &&
      error.kind() != Error::Kind::kRolledBack)
    throw;
}

std::vector<MigrationStatus> Migrator::Status() {
  Transaction transaction(pool_, Isolation::kReadOnly);
  std::vector<MigrationStatus> statuses;
  if (Ask<bool>(transaction, queries::kVersionTableExists,
                {pool_.options().schema})) {
    std::vector<int> versions;
    std::vector<std::string> scripts;
    for (const Migration& migration : migrations_) {
      versions.push_back(migration.version);
      scripts.emplace_back(migration.script);
    }
    for (const Row row : transaction.RunUnprepared(
             queries::kAppliedVersions.text, {versions, scripts}))
      statuses.push_back({row.Get<int>("version"), row.Get<std::string>("name"),
                          row.Get<Timestamp>("applied_at"),
                          row.Find<bool>("changed").value_or(false)});
  }
  const int highest = statuses.empty() ? 0 : statuses.back().version;
  for (const Migration& migration : migrations_)
    if (migration.version > highest)
      statuses.push_back({migration.version, std::string(migration.name),
                          std::nullopt, false});
  return statuses;
}

SchemaState Migrator::Validate() {
  const int newest = migrations_.empty() ? 0 : migrations_.back().version;
  const std::vector<MigrationStatus> statuses = Status();
  if (!statuses.empty() && statuses.back().version > newest)
    return SchemaState::kNewer;
  if (std::ranges::any_of(statuses, &MigrationStatus::changed))
    return SchemaState::kChanged;
  const bool behind =
      std::ranges::any_of(statuses, [](const MigrationStatus& status) {
        return !status.applied_at.has_value();
      });
  return behind ? SchemaState::kBehind : SchemaState::kCurrent;
}

// Sets the path again once the lock is held: PostgreSQL may have resolved the
// path while the previous holder of the lock was creating the schema, and would
// then not find the tables.
void Migrator::Lock(Transaction& transaction) {
  transaction.RunScript("SET LOCAL statement_timeout = 0");
  transaction.RunUnprepared(queries::kLockSchema.text,
                            {pool_.options().schema});
  transaction.RunScript(fmt::format("SET LOCAL search_path = {}, public",
                                    QuoteIdentifier(pool_.options().schema)));
}

template <typename T>
T Migrator::Ask(Transaction& transaction, const Query& query,
                const std::vector<Parameter>& parameters) {
  return transaction.RunUnprepared(query.text, parameters)[0].Get<T>(0);
}

}  // namespace fluxnetes::sql
