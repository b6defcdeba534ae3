#include "services/explain/explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "services/console/display_text.h"
#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/explain/explanation_text.h"
#include "services/explain/group_explanation.h"
#include "services/records/group_document.h"
#include "services/records/group_start.h"
#include "services/records/group_table.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kMostForProspects{2'000};
constexpr std::size_t kNodesNamed = 8;

std::string CountOf(std::int64_t count) {
  return fmt::format("{} group{}", count, count == 1 ? "" : "s");
}

sql::Timestamp TimeOf(std::int64_t seconds) {
  return sql::Timestamp(std::chrono::seconds(seconds));
}

std::string StartsWhen(std::int64_t start, sql::Timestamp now) {
  return TimeOf(start) <= now
             ? "it would start now"
             : "it would start " + Relative(TimeOf(start), now);
}

void AddField(const std::string& key, const std::string& value,
              std::string& text) {
  if (!value.empty())
    text += fmt::format("{:<13} {}\n", key + ":", Printable(value));
}

// "2 of 10 are free, it needs 3; the next come free in 5m, when a/train ends".
std::string InWords(const PoolStanding& pool, sql::Timestamp now) {
  if (!pool.total)
    return fmt::format("it needs {}, and there is no such pool", pool.needs);
  std::string text =
      fmt::format("{} of {} {} free, it needs {}", pool.free, *pool.total,
                  pool.free == 1 ? "is" : "are", pool.needs);
  if (pool.free >= pool.needs || !pool.next) return text;
  if (!pool.next->ends_at)
    return text +
           fmt::format("; {}, which holds some, has no end", pool.next->name);
  return text + fmt::format("; the next come free {}, when {} ends",
                            Relative(*pool.next->ends_at, now),
                            pool.next->name);
}

Table BeforeTable(const GroupExplanation& explanation, sql::Timestamp now) {
  Table table({">POSITION", "GROUP", ">PODS", "STATE", "START"});
  for (const GroupBefore& before : explanation.first)
    table.Add({std::to_string(before.position), before.name,
               std::to_string(before.size), before.shown_state,
               StartInShort(before.estimated_start, before.estimate, now)});
  return table;
}

Table HolderTable(const GroupExplanation& explanation, sql::Timestamp now) {
  Table table({"GROUP", "ENDS"});
  for (const Holder& holder : explanation.first_to_end)
    table.Add({holder.name, holder.ends_at ? Relative(*holder.ends_at, now)
                                           : "not by itself"});
  return table;
}

Table NodesTable(const NodesForPods& pods) {
  Table table({">NODES", "WHAT", "NAMES"});
  for (const NodeVerdict& verdict : pods.verdicts)
    table.Add(
        {std::to_string(verdict.nodes.size()),
         {verdict.why, verdict.kind == "free" ? Colour::kGreen : Colour::kNone},
         ShownNodes(verdict.nodes, kNodesNamed)});
  return table;
}

std::string HelpText(const GroupExplanation& explanation, sql::Timestamp now) {
  std::string text;
  for (const std::string& line : KnownHelp(explanation.detail))
    text += "  " + Printable(line) + "\n";
  if (!explanation.prospects) return text.empty() ? "" : "Would help:\n" + text;
  const Prospects& prospects = *explanation.prospects;
  for (const Prospect& better : prospects.better)
    text += fmt::format("  {}: {}\n", Printable(better.change),
                        StartsWhen(better.start, now));
  if (!prospects.unknown.empty())
    return text + fmt::format("What would help is not known: {}.\n",
                              prospects.unknown);
  if (text.empty())
    text = fmt::format(
        "Nothing that was tried would help: another queue, more quota, a "
        "shorter duration, fewer or smaller pods{}.\n",
        prospects.complete ? "" : "; not all was, for want of time");
  else
    text =
        "Would help, each by itself, as the scheduler would decide from "
        "here:\n" +
        text + (prospects.complete ? "" : "  ... not all was tried in time\n");
  return text;
}

std::string ToText(const GroupExplanation& explanation,
                   const Console& console) {
  const sql::Timestamp now = console.now();
  const TableStyle style{.columns = console.size().first,
                         .colour = console.colour};
  const GroupRow& group = explanation.detail.group;
  std::string text = fmt::format(
      "{} {}.\n", Printable(group.namespace_name + "/" + group.name),
      Printable(SummaryOf(group, now)));
  AddField("Why", group.reason.value_or(""), text);
  AddField("Start", StartInWords(group, now), text);
  if (group.start_by && Waits(group) && !group.has_started)
    AddField("Given up",
             fmt::format("{} without a place (fluxnetes.start-by)",
                         Relative(*group.start_by, now)),
             text);
  for (const PoolStanding& pool : explanation.pools)
    AddField("Pool " + pool.name, InWords(pool, now), text);
  if (explanation.before > 0) {
    AddField("Before it", CountOf(explanation.before) + " of its queue", text);
    text += BeforeTable(explanation, now).IndentedText(style);
  }
  if (explanation.holders > 0) {
    AddField("On its nodes",
             fmt::format("{}, {} of them without end",
                         CountOf(explanation.holders), explanation.endless),
             text);
    text += HolderTable(explanation, now).IndentedText(style);
  }
  for (const NodesForPods& pods : explanation.nodes)
    text += fmt::format("Nodes for {} pod{} of ({}):\n{}", pods.pods,
                        pods.pods == 1 ? "" : "s", pods.needs,
                        NodesTable(pods).IndentedText(style));
  return text + HelpText(explanation, now);
}

template <typename T>
OrderedJson OrNothing(const std::optional<T>& value) {
  if constexpr (std::is_same_v<T, sql::Timestamp>)
    return value ? OrderedJson(Rfc3339(*value)) : OrderedJson();
  else
    return value ? OrderedJson(*value) : OrderedJson();
}

OrderedJson NodesJson(const GroupExplanation& explanation) {
  OrderedJson all = OrderedJson::array();
  for (const NodesForPods& pods : explanation.nodes) {
    OrderedJson verdicts = OrderedJson::array();
    for (const NodeVerdict& verdict : pods.verdicts)
      verdicts.push_back({{"kind", verdict.kind},
                          {"why", verdict.why},
                          {"nodes", verdict.nodes}});
    all.push_back({{"needs", pods.needs},
                   {"pods", pods.pods},
                   {"verdicts", std::move(verdicts)}});
  }
  return all;
}

OrderedJson PoolsJson(const GroupExplanation& explanation) {
  OrderedJson pools = OrderedJson::array();
  for (const PoolStanding& pool : explanation.pools)
    pools.push_back(
        {{"name", pool.name},
         {"needs", pool.needs},
         {"total", OrNothing(pool.total)},
         {"free", pool.free},
         {"next", pool.next
                      ? OrderedJson{{"group", pool.next->name},
                                    {"endsAt", OrNothing(pool.next->ends_at)}}
                      : OrderedJson()}});
  return pools;
}

OrderedJson HelpJson(const GroupExplanation& explanation) {
  OrderedJson changes = OrderedJson::array();
  for (const std::string& line : KnownHelp(explanation.detail))
    changes.push_back(
        {{"kind", "state"}, {"change", line}, {"start", nullptr}});
  if (!explanation.prospects)
    return {{"changes", changes}, {"unknown", nullptr}, {"complete", true}};
  for (const Prospect& better : explanation.prospects->better)
    changes.push_back({{"kind", better.kind},
                       {"change", better.change},
                       {"start", Rfc3339(TimeOf(better.start))}});
  const std::string& unknown = explanation.prospects->unknown;
  return {{"changes", changes},
          {"unknown", unknown.empty() ? OrderedJson() : OrderedJson(unknown)},
          {"complete", explanation.prospects->complete}};
}

OrderedJson ToJson(const GroupExplanation& explanation, sql::Timestamp now) {
  const GroupRow& group = explanation.detail.group;
  OrderedJson first = OrderedJson::array();
  for (const GroupBefore& before : explanation.first)
    first.push_back({{"group", before.name},
                     {"position", before.position},
                     {"size", before.size},
                     {"phase", before.phase},
                     {"estimatedStart", OrNothing(before.estimated_start)}});
  OrderedJson holders = OrderedJson::array();
  for (const Holder& holder : explanation.first_to_end)
    holders.push_back(
        {{"group", holder.name}, {"endsAt", OrNothing(holder.ends_at)}});
  return {{"kind", "GroupExplanation"},
          {"group", services::ToJson(group)},
          {"summary", SummaryOf(group, now)},
          {"before", {{"groups", explanation.before}, {"first", first}}},
          {"holders",
           {{"groups", explanation.holders},
            {"endless", explanation.endless},
            {"firstToEnd", holders}}},
          {"pools", PoolsJson(explanation)},
          {"nodes", NodesJson(explanation)},
          {"help", HelpJson(explanation)}};
}

}  // namespace

ExitCode RunExplain(const ExplainOptions& options, sql::Pool& pool,
                    Console& console) {
  const GroupExplanation explanation =
      ExplainGroup(pool, ParseGroupName(options.name, options.namespace_name),
                   console.now(), kMostForProspects);
  console.out << (options.output == OutputFormat::kTable
                      ? ToText(explanation, console)
                      : Write(ToJson(explanation, console.now()),
                              options.output));
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
