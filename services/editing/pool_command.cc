#include "services/editing/pool_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "services/console/display_text.h"
#include "services/console/output.h"
#include "services/console/table.h"
#include "services/database/audit.h"
#include "services/editing/editing_queries.h"
#include "sql/connection/transaction.h"
#include "sql/error.h"

namespace fluxnetes::services {
namespace {

using nlohmann::ordered_json;

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
                   fmt::format("--total: {} is not allowed", options.total),
                   "Right would be a whole number from 0 to 1000000000000000.");
  if (broken == "pools_description_short")
    return Failure(ExitCode::kUsage, "--description: it is too long",
                   "Right would be up to 1000 characters.");
  return std::nullopt;
}

// "a/train 2, b/eval 1 at 14:05Z ..."
std::string HoldersText(const ordered_json& holders) {
  std::string text;
  for (const ordered_json& each : holders) {
    text += fmt::format(
        "{}{} {}{}", text.empty() ? "" : ", ",
        each["group"].is_null() ? "a group" : each["group"].get<std::string>(),
        each["amount"].get<std::int64_t>(),
        each["kind"] == "held" ? "" : " (reserved)");
  }
  return text;
}

ordered_json PoolDocument(const sql::Row& row, const ordered_json& holders) {
  const auto description = row.Find<std::string>("description");
  return {{"name", row.Get<std::string>("pool")},
          {"total", row.Get<std::int64_t>("total")},
          {"held", row.Get<std::int64_t>("held")},
          {"reserved", row.Get<std::int64_t>("reserved")},
          {"free", row.Get<std::int64_t>("free")},
          {"description",
           description ? ordered_json(*description) : ordered_json()},
          {"holders", holders}};
}

void ListPools(const PoolOptions& options, sql::Pool& pool, Console& console) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  Table table({"NAME", ">TOTAL", ">HELD", ">RESERVED", ">FREE", "HOLDERS",
               "?DESCRIPTION"});
  ordered_json items = ordered_json::array();
  for (const sql::Row row : transaction.Run(queries::kListPools)) {
    const auto holders = ordered_json::parse(row.Get<std::string>("holders"));
    const auto name = row.Get<std::string>("pool");
    if (options.output == OutputFormat::kName) console.out << name << '\n';
    const auto number = [&row](const char* column) {
      return std::to_string(row.Get<std::int64_t>(column));
    };
    table.Add({name, number("total"), number("held"), number("reserved"),
               number("free"), HoldersText(holders),
               row.Find<std::string>("description").value_or("")});
    items.push_back(PoolDocument(row, holders));
  }
  if (options.output == OutputFormat::kName) return;
  if (options.output != OutputFormat::kTable) {
    console.out << Write(ListOf("PoolList", std::move(items)), options.output);
  } else if (table.rows() == 0) {
    console.err << "There are no pools; `fluxnetes pool set NAME --total N` "
                   "makes one.\n";
  } else {
    console.out << table.Text({.columns = console.size().first,
                               .colour = console.colour,
                               .header = true});
  }
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

ExitCode RunPool(const PoolOptions& options, sql::Pool& pool,
                 Console& console) {
  if (options.verb == PoolOptions::Verb::kList) {
    ListPools(options, pool, console);
    return ExitCode::kOk;
  }
  const bool sets = options.verb == PoolOptions::Verb::kSet;
  sql::Transaction transaction(pool);
  const char* done = "deleted";
  try {
    if (sets) {
      done = SetPool(transaction, options, console.now());
    } else {
      DeletePool(transaction, options);
    }
  } catch (const sql::Error& error) {
    if (const auto failure = ExplainPool(error, options)) throw *failure;
    throw;
  }
  RecordChange(transaction, ProcessActor(),
               {.verb = sets ? "set" : "delete",
                .object = "pool/" + options.name,
                .detail = sets ? fmt::format("total={}", options.total) : ""});
  transaction.Commit();
  console.out << "pool/" << Printable(options.name) << ' ' << done << '\n';
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
