#include "services/match/match.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cluster/text/quote.h"
#include "services/console/display_text.h"
#include "services/console/input_file.h"
#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/simulate/simulation_nodes.h"
#include "services/simulate/simulation_snapshot.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;
using JobspecState = workers::JobspecMatch::State;
using WallClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongest{30};
constexpr const char* kInput = "(standard input)";

sql::Timestamp AtSecond(std::int64_t seconds) {
  return sql::Timestamp(std::chrono::seconds(seconds));
}

workers::Scenario ScenarioFor(const MatchOptions& options, sql::Pool* pool,
                              std::int64_t now) {
  if (pool != nullptr) return ReadSnapshot(*pool, now).scenario;
  SimulateOptions nodes;
  nodes.nodes = options.nodes;
  workers::Scenario scenario;
  scenario.begin = now;
  scenario.nodes = NodesFromFile(nodes).nodes;
  scenario.queues = {{}};
  return scenario;
}

std::map<std::string, int> PodsByNode(const workers::JobspecMatch& match) {
  std::map<std::string, int> pods;
  for (const auto& pod : match.pods) ++pods[pod.node];
  return pods;
}

OrderedJson PlacementsJson(const workers::JobspecMatch& match) {
  OrderedJson placements = OrderedJson::array();
  for (const auto& pod : match.pods) {
    OrderedJson placement = {{"node", pod.node}, {"inside", nullptr}};
    if (!pod.parts.empty()) placement["inside"] = pod.parts;
    placement["resourceSet"] = pod.resource_set.empty()
                                   ? OrderedJson(nullptr)
                                   : OrderedJson::parse(pod.resource_set);
    placements.push_back(std::move(placement));
  }
  return placements;
}

OrderedJson MatchJson(const workers::JobspecMatch& match) {
  const auto& duration = match.jobspec.duration;
  OrderedJson nodes = OrderedJson::array();
  for (const auto& [name, pods] : PodsByNode(match))
    nodes.push_back({{"name", name}, {"pods", pods}});
  return {{"kind", "Match"},
          {"state", workers::StateWord(match.state)},
          {"startsAt", match.start < 0
                           ? OrderedJson(nullptr)
                           : OrderedJson(Rfc3339(AtSecond(match.start)))},
          {"queue", match.queue},
          {"pods", match.jobspec.pods},
          {"duration",
           duration ? OrderedJson(duration->count()) : OrderedJson(nullptr)},
          {"nodes", std::move(nodes)},
          {"placements", PlacementsJson(match)}};
}

Table MatchTable(const workers::JobspecMatch& match) {
  struct Line {
    int pods = 0;
    std::string inside;
  };
  std::map<std::string, Line> lines;
  for (const auto& pod : match.pods) {
    Line& line = lines[pod.node];
    ++line.pods;
    if (!pod.parts.empty())
      line.inside += (line.inside.empty() ? "" : " | ") + pod.parts;
  }
  Table table({"NODE", ">PODS", "INSIDE"});
  for (const auto& [node, line] : lines)
    table.Add({node, std::to_string(line.pods), line.inside});
  return table;
}

}  // namespace

std::string MatchInWords(const workers::JobspecMatch& match,
                         sql::Timestamp now) {
  const std::size_t nodes = PodsByNode(match).size();
  const std::string where = fmt::format(
      "{} pod{} on {} node{}", match.jobspec.pods,
      match.jobspec.pods == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s");
  switch (match.state) {
    case JobspecState::kNow:
      return "now: " + where;
    case JobspecState::kReserved:
      return fmt::format("reserved at {}, {}: {}",
                         ShortTime(AtSecond(match.start)),
                         Relative(AtSecond(match.start), now), where);
    case JobspecState::kWaits:
      return "waits: it fits, but only after groups that have no end";
    case JobspecState::kNever:
      return "never: the nodes of its queue could not hold it, even if nothing "
             "ran there";
    case JobspecState::kTooLong:
      return "unknown: to follow all that waits takes too long";
  }
  return "";
}

ExitCode RunMatch(const MatchOptions& options, sql::Pool* pool,
                  Console& console) {
  const std::size_t limit = workers::kMaxPodJobspecBytes + 1;
  workers::JobspecAsk ask;
  ask.text = options.file == "-" ? ReadInput(console.in, kInput, limit)
                                 : ReadInputFile(options.file, limit);
  ask.pods = options.pods;
  ask.queue = options.queue;
  ask.namespace_name = options.namespace_name;
  const auto now = std::chrono::floor<std::chrono::seconds>(console.now());
  const workers::Scenario scenario =
      ScenarioFor(options, pool, now.time_since_epoch().count());
  const auto from = WallClock::now();
  const workers::JobspecMatch match = workers::MatchJobspec(scenario, ask, [&] {
    return !console.wait(std::chrono::milliseconds(0)) &&
           WallClock::now() - from < kLongest;
  });
  if (!match.refused.empty())
    throw Failure(
        ExitCode::kFailed,
        (options.file == "-" ? kInput : options.file) + ": " + match.refused);
  if (options.output == OutputFormat::kTable) {
    console.out << MatchInWords(match, now) << "\n";
    if (!match.pods.empty())
      console.out << MatchTable(match).Text(
          {console.terminal ? console.size().first : 0, false, true});
  } else {
    console.out << Write(MatchJson(match), options.output);
  }
  return match.state == JobspecState::kNever ? ExitCode::kFailed
                                             : ExitCode::kOk;
}

}  // namespace fluxnetes::services
