#include "services/listing/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>

#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/database/ended_groups_queries.h"
#include "services/listing/listing.h"
#include "services/records/group_document.h"
#include "services/records/group_list.h"
#include "services/records/group_table.h"

namespace fluxnetes::services {
namespace {

using HistoryJson = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::array kResults = {"succeeded", "failed", "timed out",
                                 "preempted", "cancelled"};
constexpr std::size_t kNodesListed = 3;
constexpr std::size_t kNodesListedWide = 16;

// In seconds; nullopt without groups.
struct Spread {
  std::optional<double> p50, p95, most;
};

struct History {
  std::vector<GroupRow> groups;
  bool more = false;
  struct Result {
    std::string result;
    std::int64_t groups = 0;
    std::int64_t pods = 0;
  };
  std::vector<Result> results;  // of all groups, also those beyond the limit
  Spread waits, runs;
};

// The command line has '-' for the blank: "timed-out".
std::vector<std::string> ResultsOf(const HistoryOptions& options) {
  std::vector<std::string> results = options.results;
  for (std::string& result : results) {
    std::ranges::replace(result, '-', ' ');
    if (std::ranges::find(kResults, result) == kResults.end())
      throw Failure(
          ExitCode::kUsage, fmt::format("'{}' is no result of a group", result),
          "Right would be one of succeeded, failed, timed-out, preempted, "
          "cancelled.");
  }
  return results;
}

History ReadHistory(const HistoryOptions& options,
                    sql::Transaction& transaction, sql::Timestamp now) {
  const sql::Timestamp since = now - options.since;
  const std::vector<std::string> results = ResultsOf(options);
  const auto of = results.empty() ? std::nullopt : std::optional(results);
  std::optional<std::int64_t> limit;
  if (options.limit != 0) limit.emplace(options.limit + 1);
  History history;
  for (const sql::Row row : transaction.Run(
           queries::kEndedByTime, since, options.scope, options.queue, of,
           std::nullopt, std::nullopt, std::nullopt, limit))
    history.groups.push_back(ReadFinishedRow(row));
  if (options.limit != 0 && std::ssize(history.groups) == options.limit + 1) {
    history.groups.pop_back();
    history.more = true;
  }
  for (const sql::Row row :
       transaction.Run(queries::kCountEnded, since, options.scope,
                       options.queue, of, std::nullopt))
    history.results.push_back({row.Get<std::string>("result"),
                               row.Get<std::int64_t>("groups"),
                               row.Get<std::int64_t>("pods")});
  for (const sql::Row row :
       transaction.Run(queries::kMeasureEnded, since, options.scope,
                       options.queue, of, std::nullopt)) {
    history.waits = {row.Find<double>("wait_p50"), row.Find<double>("wait_p95"),
                     row.Find<double>("wait_max")};
    history.runs = {row.Find<double>("run_p50"), row.Find<double>("run_p95"),
                    row.Find<double>("run_max")};
  }
  return history;
}

std::optional<milliseconds> WaitOf(const GroupRow& group) {
  if (!group.bound_at) return std::nullopt;
  return std::chrono::floor<milliseconds>(*group.bound_at - group.submitted_at);
}

std::optional<milliseconds> RunOf(const GroupRow& group) {
  if (!group.bound_at) return std::nullopt;
  return std::chrono::floor<milliseconds>(*group.ended_at - *group.bound_at);
}

std::string Took(const std::optional<milliseconds>& time) {
  if (!time) return "";
  return ShortDuration(*time >= std::chrono::seconds(1)
                           ? std::chrono::floor<std::chrono::seconds>(*time)
                           : *time);
}

std::string Took(const std::optional<double>& seconds) {
  if (!seconds) return "-";
  return Took(
      std::optional(milliseconds(static_cast<std::int64_t>(*seconds * 1'000))));
}

Table TableOf(const HistoryOptions& options, const History& history,
              sql::Timestamp now) {
  const bool wide = options.output == OutputFormat::kWide;
  std::vector<std::string> headings;
  if (!options.scope) headings.emplace_back("NAMESPACE");
  headings.insert(headings.end(), {"NAME", "RESULT", ">PODS", "?QUEUE",
                                   ">WAITED", ">RAN", "ENDED", "?NODES"});
  if (wide) headings.insert(headings.end(), {"SUBMITTED", ">PRIORITY", ">ID"});
  const bool pools =
      wide && std::ranges::any_of(history.groups, [](const GroupRow& group) {
        return !group.pools.empty();
      });
  if (pools) headings.emplace_back("POOLS");
  headings.emplace_back("REASON");
  Table table(std::move(headings));
  for (const GroupRow& group : history.groups) {
    std::vector<Cell> cells;
    if (!options.scope) cells.emplace_back(group.namespace_name);
    cells.emplace_back(group.name);
    cells.emplace_back(*group.result, ColourOf(group));
    cells.emplace_back(std::to_string(group.size));
    cells.emplace_back(group.queue);
    cells.emplace_back(Took(WaitOf(group)));
    cells.emplace_back(Took(RunOf(group)));
    cells.emplace_back(Relative(*group.ended_at, now));
    cells.emplace_back(
        ShownNodes(group.nodes, wide ? kNodesListedWide : kNodesListed));
    if (wide) {
      cells.emplace_back(ShortTime(group.submitted_at));
      cells.emplace_back(std::to_string(*group.priority));
      cells.emplace_back(std::to_string(group.id));
    }
    if (pools) cells.emplace_back(PoolsText(group.pools));
    cells.emplace_back(group.reason.value_or(""));
    table.Add(std::move(cells));
  }
  return table;
}

std::string SummaryOf(const History& history) {
  std::int64_t groups = 0;
  std::string results;
  for (const History::Result& result : history.results) {
    groups += result.groups;
    results += fmt::format("{}{} {}", results.empty() ? "" : ", ",
                           result.groups, result.result);
  }
  std::string text =
      fmt::format("{} group{}: {}.", groups, groups == 1 ? "" : "s", results);
  if (history.waits.p50)
    text += fmt::format(
        " Waited p50 {}, p95 {}, most {}; ran p50 {}, p95 {}, most {}.",
        Took(history.waits.p50), Took(history.waits.p95),
        Took(history.waits.most), Took(history.runs.p50),
        Took(history.runs.p95), Took(history.runs.most));
  return text + "\n";
}

HistoryJson SpreadJson(const Spread& spread) {
  const auto of = [](const std::optional<double>& seconds) {
    return seconds ? HistoryJson(*seconds) : HistoryJson();
  };
  return {{"p50", of(spread.p50)},
          {"p95", of(spread.p95)},
          {"max", of(spread.most)}};
}

HistoryJson SecondsJson(const std::optional<milliseconds>& time) {
  return time ? HistoryJson(std::chrono::duration<double>(*time).count())
              : HistoryJson();
}

HistoryJson DocumentOf(const History& history, sql::Timestamp since) {
  HistoryJson items = HistoryJson::array();
  for (const GroupRow& group : history.groups) {
    HistoryJson item = ToJson(group);
    item["waitSeconds"] = SecondsJson(WaitOf(group));
    item["runSeconds"] = SecondsJson(RunOf(group));
    items.push_back(std::move(item));
  }
  HistoryJson results = HistoryJson::object();
  for (const History::Result& result : history.results)
    results[result.result] = {{"groups", result.groups}, {"pods", result.pods}};
  return {{"kind", "GroupHistory"},
          {"since", Rfc3339(since)},
          {"results", std::move(results)},
          {"waitSeconds", SpreadJson(history.waits)},
          {"runSeconds", SpreadJson(history.runs)},
          {"more", history.more},
          {"items", std::move(items)}};
}

}  // namespace

ExitCode RunHistory(const HistoryOptions& options, sql::Pool& pool,
                    Console& console) {
  const sql::Timestamp now = console.now();
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const History history = ReadHistory(options, transaction, now);
  if (WantsDocuments(options.output)) {
    console.out << Write(DocumentOf(history, now - options.since),
                         options.output);
    return ExitCode::kOk;
  }
  if (history.groups.empty()) {
    console.err << fmt::format(
        "No group{}{} has ended{} in the last {}.{}\n",
        options.queue ? " of queue " + *options.queue : "",
        options.results.empty() ? "" : " with that result",
        options.scope ? " in namespace " + *options.scope : "",
        ShortDuration(options.since),
        options.scope ? " (-A looks in all namespaces, --since further back.)"
                      : " (--since looks further back.)");
    return ExitCode::kOk;
  }
  console.out << TableOf(options, history, now)
                     .Text({.columns = console.size().first,
                            .colour = console.colour,
                            .header = options.headers});
  console.err << SummaryOf(history);
  if (history.more)
    console.err << fmt::format(
        "The last {} are shown; --limit 0 shows all, --queue and --result "
        "narrow.\n",
        history.groups.size());
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
