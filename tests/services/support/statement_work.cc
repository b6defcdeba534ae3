#include "tests/services/support/statement_work.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "queue/catalogue.h"
#include "services/database/audit_queries.h"
#include "services/database/ended_groups_queries.h"
#include "services/doctor/doctor_queries.h"
#include "services/doctor/server_queries.h"
#include "services/editing/editing_queries.h"
#include "services/explain/explain_queries.h"
#include "services/explain/timeline_queries.h"
#include "services/feed/group_feed_queries.h"
#include "services/listing/listing_queries.h"
#include "services/listing/squeue_queries.h"
#include "services/listing/top_queries.h"
#include "services/lists/lists_queries.h"
#include "services/monitoring/decision_log_queries.h"
#include "services/monitoring/monitoring_queries.h"
#include "services/operation/operation_queries.h"
#include "services/records/group_pages_queries.h"
#include "services/records/line_queries.h"
#include "services/records/records_queries.h"
#include "services/serve/loops_queries.h"
#include "services/simulate/simulation_queries.h"
#include "services/usage/usage_queries.h"
#include "services/web/web_sessions_queries.h"
#include "sql/connection/transaction.h"
#include "tests/support/places.h"
#include "workers/catalogue.h"

namespace fluxnetes::testing {
namespace {

using Json = nlohmann::json;
namespace queries = services::queries;

sql::PoolOptions AsTheProgram(sql::PoolOptions options, bool loops) {
  options.max_connections = 1;
  options.statement_timeout = std::chrono::seconds(20);
  options.by_index_only = loops;
  options.catalogues = {queue::Catalogue(), workers::Catalogue()};
  if (loops) {
    options.catalogues.push_back(queries::kAllDecisionLog);
    options.catalogues.push_back(queries::kAllLoops);
    return options;
  }
  for (const std::span<const sql::Query> each :
       {std::span<const sql::Query>(queries::kAllAudit),
        std::span<const sql::Query>(queries::kAllDoctor),
        std::span<const sql::Query>(queries::kAllEditing),
        std::span<const sql::Query>(queries::kAllEndedGroups),
        std::span<const sql::Query>(queries::kAllExplain),
        std::span<const sql::Query>(queries::kAllGroupFeed),
        std::span<const sql::Query>(queries::kAllGroupPages),
        std::span<const sql::Query>(queries::kAllLine),
        std::span<const sql::Query>(queries::kAllListing),
        std::span<const sql::Query>(queries::kAllLists),
        std::span<const sql::Query>(queries::kAllMonitoring),
        std::span<const sql::Query>(queries::kAllOperation),
        std::span<const sql::Query>(queries::kAllRecords),
        std::span<const sql::Query>(queries::kAllServer),
        std::span<const sql::Query>(queries::kAllSimulation),
        std::span<const sql::Query>(queries::kAllSqueue),
        std::span<const sql::Query>(queries::kAllTimeline),
        std::span<const sql::Query>(queries::kAllTop),
        std::span<const sql::Query>(queries::kAllUsage),
        std::span<const sql::Query>(queries::kAllWebSessions)})
    options.catalogues.push_back(each);
  return options;
}

sql::PoolOptions ForValues(sql::PoolOptions options) {
  options.max_connections = 1;
  options.catalogues.clear();
  return options;
}

std::vector<std::string> Split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

const std::regex kK("\\bK\\b");

double Number(const Json& node, const char* key) {
  return node.value(key, 0.0);
}

// Each node counts its rows and, so that fruitless searches count, one more.
double RowsOf(const Json& node) {
  double rows = Number(node, "Actual Loops") *
                (1 + Number(node, "Actual Rows") +
                 Number(node, "Rows Removed by Filter") +
                 Number(node, "Rows Removed by Join Filter") +
                 Number(node, "Rows Removed by Index Recheck"));
  if (node.contains("Plans"))
    for (const Json& child : node["Plans"]) rows += RowsOf(child);
  return rows;
}

std::string Literal(const std::string& text) {
  std::string literal = "'";
  for (const char c : text) literal += c == '\'' ? "''" : std::string(1, c);
  return literal + "'";
}

}  // namespace

bool MeasuredStatement::HasK() const {
  for (const std::string& argument : arguments)
    if (std::regex_search(argument, kK)) return true;
  return false;
}

std::map<std::string, MeasuredStatement> ReadMeasuredStatements() {
  std::map<std::string, MeasuredStatement> statements;
  std::ifstream in(
      SourcePath("tests/services/support/statement_arguments.tsv"));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = Split(line, '\t');
    if (fields.size() < 3)
      throw std::runtime_error("statement_arguments.tsv: " + line);
    const std::string& pools = fields[1];
    statements[fields[0]] = {.name = fields[0],
                             .loops = pools != "commands",
                             .commands = pools != "loops",
                             .reads_all = fields[2] == "all",
                             .arguments = {fields.begin() + 3, fields.end()}};
  }
  return statements;
}

std::vector<std::string> NamesInSources() {
  constexpr std::string_view kMark = "-- name: ";
  std::vector<std::string> names;
  for (const char* floor : {"workers", "queue", "services"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(SourcePath(floor))) {
      if (entry.path().extension() != ".sql") continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);)
        if (line.rfind(kMark, 0) == 0)
          names.push_back(line.substr(kMark.size()));
    }
  return names;
}

StatementWork::StatementWork(const sql::PoolOptions& options, bool loops)
    : loops_(loops),
      pool_(AsTheProgram(options, loops)),
      values_(ForValues(options)) {}

std::string StatementWork::ArgumentsOf(const MeasuredStatement& statement,
                                       int k) {
  if (statement.arguments.empty()) return "";
  std::string select;
  for (const std::string& argument : statement.arguments)
    select += fmt::format("{}({})::text", select.empty() ? "" : ", ",
                          std::regex_replace(argument, kK, std::to_string(k)));
  sql::Transaction transaction(values_);
  const Json values =
      Json::parse(transaction
                      .RunScript(fmt::format(
                          "SELECT json_build_array({})::text", select))[0]
                      .Get<std::string>(0));
  std::string arguments;
  for (const Json& value : values)
    arguments += (arguments.empty() ? "(" : ", ") +
                 (value.is_null() ? "NULL" : Literal(value.get<std::string>()));
  return arguments + ")";
}

// As a connection of the program does when it first runs a query.
void StatementWork::Prepare(sql::Transaction& transaction,
                            const std::string& name) {
  if (!prepared_.insert(name).second) return;
  for (const auto& catalogue : pool_.options().catalogues) {
    for (const sql::Query& query : catalogue) {
      if (query.name != name) continue;
      transaction.RunScript(fmt::format("PREPARE {} AS {}", name, query.text));
      return;
    }
  }
  throw std::runtime_error(name + " is in no catalogue");
}

Work StatementWork::Measure(const MeasuredStatement& statement,
                            const std::string& arguments) {
  sql::Transaction transaction(pool_);
  Prepare(transaction, statement.name);
  const sql::Result result = transaction.RunScript(fmt::format(
      "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE {}{}",
      statement.name, arguments));
  const Json plan =
      Json::parse(result[0].Get<std::string>(0)).front().at("Plan");
  return {.rows = RowsOf(plan),
          .pages = Number(plan, "Shared Hit Blocks") +
                   Number(plan, "Shared Read Blocks")};
}

}  // namespace fluxnetes::testing
