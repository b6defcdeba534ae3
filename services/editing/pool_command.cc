#include "services/editing/pool_command.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "services/console/display_text.h"
#include "services/editing/editing_queries.h"
#include "services/listing/get.h"
#include "sql/connection/transaction.h"
#include "sql/error.h"

namespace fluxnetes::services {
namespace {

Failure NoPool(const std::string& name) {
  return Failure(ExitCode::kNotFound, fmt::format("no pool named \"{}\"", name),
                 "`fluxnetes pools` lists those that there are.");
}

// Translates an error of the database; nullopt: an edit of pools should not
// cause it.
std::optional<Failure> ExplainPool(const sql::Error& error,
                                   const PoolOptions& options) {
  const std::string& broken = error.constraint();
  if (broken == "pools_name_of_label")
    return Failure(
        ExitCode::kUsage,
        fmt::format("'{}' cannot be the name of a pool", options.name),
        "Right would be up to 63 letters, digits, -, _ and ., as in the name "
        "of a label.");
  if (broken == "pools_total_in_range")
    return Failure(ExitCode::kUsage,
                   fmt::format("total: {} is not allowed", options.total),
                   "Right would be a whole number from 0 to 1000000000000000.");
  if (broken == "pools_description_short")
    return Failure(ExitCode::kUsage, "description: it is too long",
                   "Right would be up to 1000 characters.");
  return std::nullopt;
}

// Returns what was done, for the message "pool/NAME created".
const char* SetPool(sql::Transaction& transaction, const PoolOptions& options,
                    sql::Timestamp now) {
  const sql::Result set = transaction.Run(
      queries::kSetPool, options.name, options.total, options.description, now);
  return set[0].Get<bool>("made") ? "created" : "changed";
}

void DeletePool(sql::Transaction& transaction, const PoolOptions& options) {
  const sql::Result holders =
      transaction.Run(queries::kReadPoolHolders, options.name);
  if (!holders.empty())
    throw Failure(
        ExitCode::kFailed,
        fmt::format(
            "the pool \"{}\" is held or reserved by {} and stays", options.name,
            holders.size() == 1 ? "1 group"
                                : fmt::format("{} groups", holders.size())),
        fmt::format("`fluxnetes pool set {} --total 0` lets nothing more start "
                    "with it; delete it when these have ended.",
                    options.name));
  if (transaction.Run(queries::kDeletePool, options.name).affected() == 0)
    throw NoPool(options.name);
}

}  // namespace

std::string ChangePool(sql::Pool& pool, const Actor& actor,
                       const PoolOptions& options, sql::Timestamp now) {
  const bool sets = options.verb == PoolOptions::Verb::kSet;
  sql::Transaction transaction(pool);
  const char* done = "deleted";
  try {
    if (sets) {
      done = SetPool(transaction, options, now);
    } else {
      DeletePool(transaction, options);
    }
  } catch (const sql::Error& error) {
    if (const auto failure = ExplainPool(error, options)) throw *failure;
    throw;
  }
  RecordChange(transaction, actor,
               {.verb = sets ? "set" : "delete",
                .object = "pool/" + options.name,
                .detail = sets ? fmt::format("total={}", options.total) : ""});
  transaction.Commit();
  return done;
}

ExitCode RunPool(const PoolOptions& options, sql::Pool& pool,
                 Console& console) {
  if (options.verb == PoolOptions::Verb::kList) {
    GetOptions get;
    get.what = GetOptions::What::kPools;
    get.output = options.output;
    return RunGet(get, pool, console);
  }
  const std::string done =
      ChangePool(pool, ProcessActor(), options, console.now());
  console.out << "pool/" << Printable(options.name) << ' ' << done << '\n';
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
