#include "services/explain/timeline_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/explain/timeline.h"
#include "services/explain/timeline_chart.h"

namespace fluxnetes::services {
namespace {

constexpr std::int64_t kGroupLines = 40;
constexpr int kColumnsOfPipe = 80;

nlohmann::ordered_json MomentOrNull(const std::optional<sql::Timestamp>& time) {
  return time ? nlohmann::ordered_json(Rfc3339(*time))
              : nlohmann::ordered_json();
}

using InsideTexts = std::vector<std::string> SpanInside::*;

// By node; only nodes of which its pods have such.
nlohmann::ordered_json InsideOf(const Timeline& timeline, const Span& span,
                                InsideTexts texts) {
  nlohmann::ordered_json inside = nlohmann::ordered_json::object();
  for (const std::string& node : span.nodes) {
    const auto found = timeline.inside.find({span.stage, span.id, node});
    if (found != timeline.inside.end() && !(found->second.*texts).empty())
      inside[node] = found->second.*texts;
  }
  return inside;
}

// A line for each pod that has parts of its node, or for each device.
Table InsideOfSpansTable(const Timeline& timeline, InsideTexts texts) {
  Table table({"GROUP", "NODE", "HAS"});
  for (const Span& span : timeline.spans) {
    for (const std::string& node : span.nodes) {
      const auto found = timeline.inside.find({span.stage, span.id, node});
      if (found == timeline.inside.end()) continue;
      for (const std::string& each : found->second.*texts)
        table.Add({span.group.Text(), node, each});
    }
  }
  return table;
}

nlohmann::ordered_json ToJson(const Timeline& timeline, sql::Timestamp now,
                              sql::Timestamp until) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const Span& span : timeline.spans)
    groups.push_back(
        {{"group", span.group.Text()},
         {"id", span.id},
         {"queue", span.queue},
         {"size", span.size},
         {"kind", span.kind},
         {"start", MomentOrNull(span.start)},
         {"end", MomentOrNull(span.end)},
         {"nodes", span.nodes},
         {"pools", nlohmann::ordered_json(span.pools)},
         {"inside", InsideOf(timeline, span, &SpanInside::parts)},
         {"devices", InsideOf(timeline, span, &SpanInside::devices)}});
  nlohmann::ordered_json maintenance = nlohmann::ordered_json::array();
  for (const Timeline::Maintenance& window : timeline.maintenance)
    maintenance.push_back(
        {{"node", window.node},
         {"start", Rfc3339(window.start)},
         {"end", MomentOrNull(window.end)},
         {"reason", window.reason ? nlohmann::ordered_json(*window.reason)
                                  : nlohmann::ordered_json()}});
  return {{"kind", "Timeline"},
          {"now", Rfc3339(now)},
          {"until", Rfc3339(until)},
          {"groups", std::move(groups)},
          {"maintenance", std::move(maintenance)}};
}

void PrintChart(const TimelineOptions& options, Timeline& timeline,
                const ChartFrame& frame, Console& console) {
  const auto groups = std::ssize(timeline.spans);
  const bool by_nodes =
      options.by == TimelineOptions::By::kNodes ||
      (options.by == TimelineOptions::By::kEither && groups > kGroupLines);
  if (by_nodes ? timeline.nodes.empty() : timeline.spans.empty()) {
    console.err << (by_nodes ? "There are no nodes.\n"
                    : options.queue || options.scope
                        ? "Nothing of these runs, and no start is known.\n"
                        : "Nothing runs, and no start is known.\n");
    return;
  }
  if (by_nodes) {
    console.out << ChartOfNodes(timeline, frame);
    return;
  }
  if (groups > kGroupLines) timeline.spans.resize(kGroupLines);
  console.out << ChartOfGroups(timeline, frame);
  const auto print = [&](const char* title, InsideTexts texts) {
    const Table table = InsideOfSpansTable(timeline, texts);
    if (table.rows() > 0)
      console.out << '\n'
                  << title << ":\n"
                  << table.IndentedText({.columns = console.size().first,
                                         .colour = console.colour});
  };
  print("Inside of nodes", &SpanInside::parts);
  print("Devices", &SpanInside::devices);
  if (groups > kGroupLines)
    console.err << fmt::format(
        "The first {} of {} groups are shown; -o json has all, --by nodes sums "
        "them up.\n",
        kGroupLines, groups);
}

}  // namespace

ExitCode RunTimeline(const TimelineOptions& options, sql::Pool& pool,
                     Console& console) {
  const sql::Timestamp now = console.now();
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  Timeline timeline = ReadTimeline(
      transaction, {.namespace_name = options.scope, .queue = options.queue},
      now);
  const sql::Timestamp until =
      options.horizon ? now + *options.horizon : HorizonOf(timeline, now);
  if (options.output != OutputFormat::kTable) {
    console.out << Write(ToJson(timeline, now, until), options.output);
    return ExitCode::kOk;
  }
  const int columns = console.size().first;
  PrintChart(options, timeline,
             {.now = now,
              .until = until,
              .columns = columns > 0 ? columns : kColumnsOfPipe},
             console);
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
