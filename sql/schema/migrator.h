// Brings a schema from any earlier version to the newest by numbered,
// forward-only scripts. Each runs in one transaction with the row of its
// version, under an advisory lock, so that several processes may try at once
// and an interrupted run resumes. The version rows are in the table
// `schema_migrations`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/query.h"
#include "sql/values/parameter.h"

namespace fluxnetes::sql {

class Transaction;

struct Migration {
  int version;
  std::string_view name;
  std::string_view script;
};

struct MigrationStatus {
  int version;
  std::string name;
  std::optional<Timestamp> applied_at;  // nothing: not yet
  bool changed;  // the script differs from the one that was applied
};

enum class SchemaState {
  kCurrent,
  kBehind,   // `fluxnetes migrate up` is needed
  kNewer,    // migrated by a newer program: do not use it
  kChanged,  // an applied script differs from the compiled one
};

class Migrator {
 public:
  // `pool` needs no catalogues: their tables may not exist yet.
  Migrator(Pool& pool, std::span<const Migration> migrations);

  // Applies the missing migrations and returns their versions. Creates the
  // schema and puts it first on the database's search_path, if the role may do
  // that and it is not set yet. Throws Error, or std::runtime_error for kNewer.
  std::vector<int> Up();

  std::vector<MigrationStatus> Status();
  SchemaState Validate();

 private:
  void PrepareSchema();
  std::optional<int> ApplyNext();
  void OfferSearchPath();
  void Lock(Transaction& transaction);
  template <typename T>
  T Ask(Transaction& transaction, const Query& query,
        const std::vector<Parameter>& parameters);

  Pool& pool_;
  std::span<const Migration> migrations_;
};

}  // namespace fluxnetes::sql
