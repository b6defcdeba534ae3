#include "services/simulate/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "cluster/text/resource_words.h"
#include "services/console/display_text.h"
#include "services/console/output.h"
#include "services/console/time_text.h"
#include "workers/simulation/resource_use.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;
using workers::Course;
using workers::GroupCourse;
using workers::QueuePolicy;
using workers::Scenario;
using workers::SimulationSummary;

constexpr std::size_t kCsvBuffer = 1 << 16;

const char* NameOfState(GroupCourse::State state) {
  using State = GroupCourse::State;
  switch (state) {
    case State::kUnsatisfiable:
      return "unsatisfiable";
    case State::kRunning:
      return "running";
    case State::kEnded:
      return "ended";
    case State::kTimedOut:
      return "timed out";
    case State::kGivenUp:
      return "given up";
    case State::kWaiting:
      break;
  }
  return "waiting";
}

std::int64_t LeftOut(const SimulationInput& input) {
  std::int64_t jobs = 0;
  for (const TraceNote& note : input.trace_notes)
    if (note.left_out) jobs += note.jobs;
  return jobs;
}

OrderedJson NotesToJson(const SimulationInput& input, bool left_out) {
  OrderedJson list = OrderedJson::array();
  for (const TraceNote& note : input.trace_notes)
    if (note.left_out == left_out)
      list.push_back({{left_out ? "reason" : "how", note.what},
                      {"jobs", note.jobs},
                      {"firstLine", note.first_line}});
  return list;
}

OrderedJson UsesToJson(const SimulationSummary& summary) {
  OrderedJson list = OrderedJson::array();
  for (const workers::ResourceUse& use : summary.utilisation)
    list.push_back({{"resource", use.resource}, {"share", use.share}});
  return list;
}

OrderedJson ToJson(const SimulationReport& report) {
  const SimulationSummary& summary = report.summary;
  const Scenario& scenario = report.input.scenario;
  return {{"kind", "Simulation"},
          {"source", report.input.source},
          {"nodes", scenario.nodes.size()},
          {"cpuMilli", workers::CpuOf(scenario.nodes)},
          {"leftOut", LeftOut(report.input)},
          {"leftOutReasons", NotesToJson(report.input, true)},
          {"readOtherwise", NotesToJson(report.input, false)},
          {"warnings", report.input.notes},
          {"groups",
           {{"total", summary.groups},
            {"ended", summary.ended},
            {"timedOut", summary.timed_out},
            {"unsatisfiable", summary.unsatisfiable},
            {"givenUp", summary.given_up},
            {"running", summary.running},
            {"waiting", summary.waiting}}},
          {"makespan", summary.makespan},
          {"wait",
           {{"mean", summary.wait_mean},
            {"p50", summary.wait_p50},
            {"p95", summary.wait_p95},
            {"p99", summary.wait_p99},
            {"max", summary.wait_most}}},
          {"boundedSlowdown", summary.slowdown},
          {"utilisation",
           summary.utilisation.empty() ? 0 : summary.utilisation.front().share},
          {"utilisationBy", UsesToJson(summary)},
          {"fairness", {{"jain", summary.fairness}, {"users", summary.users}}},
          {"evictions", summary.evictions},
          {"preempted", summary.preempted},
          {"promises",
           {{"made", summary.promised}, {"kept", summary.promises_kept}}},
          {"longestLine", summary.longest_line},
          {"decisions", report.course.decisions},
          {"complete", !report.course.stopped},
          {"tookSeconds", report.took}};
}

std::string For(double seconds) {
  return ShortDuration(
      std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1'000)));
}

// Returns the groups' outcomes, without zeros.
std::string Ends(const SimulationSummary& summary) {
  std::string text = fmt::format("{} ended", summary.ended);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(summary.timed_out, "timed out");
  add(summary.unsatisfiable, "can never fit");
  add(summary.given_up, "given up");
  add(summary.running, "still run");
  add(summary.waiting, "still wait");
  return text;
}

std::string Evictions(const SimulationSummary& summary) {
  if (summary.evictions == 0) return "0";
  return fmt::format("{}, {} group{} preempted", summary.evictions,
                     summary.preempted, summary.preempted == 1 ? "" : "s");
}

std::string Uses(const SimulationSummary& summary) {
  std::string text;
  for (const workers::ResourceUse& use : summary.utilisation) {
    text +=
        fmt::format("{}{:.1f} % of {}", text.empty() ? "" : ", ",
                    100 * use.share, cluster::ResourceInWords(use.resource));
  }
  return text.empty() ? "nothing was asked for" : text;
}

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string ToTable(const SimulationReport& report) {
  const SimulationSummary& summary = report.summary;
  const Scenario& scenario = report.input.scenario;
  Lines lines = {
      {"Run", report.input.source},
      {"Nodes", fmt::format("{} with {} cpu", scenario.nodes.size(),
                            workers::CpuOf(scenario.nodes) / 1'000)},
      {"Groups", fmt::format("{}: {}", summary.groups, Ends(summary))},
      {"Makespan", For(static_cast<double>(summary.makespan))},
      {"Wait", fmt::format("mean {}, p50 {}, p95 {}, p99 {}, most {}",
                           For(summary.wait_mean),
                           For(static_cast<double>(summary.wait_p50)),
                           For(static_cast<double>(summary.wait_p95)),
                           For(static_cast<double>(summary.wait_p99)),
                           For(static_cast<double>(summary.wait_most)))},
      {"Slowdown", fmt::format("{:.2f} (bounded, mean)", summary.slowdown)},
      {"Utilisation", Uses(summary)},
      {"Fairness", fmt::format("{:.3f} (Jain's index of the slowdowns of {} "
                               "user{})",
                               summary.fairness, summary.users,
                               summary.users == 1 ? "" : "s")},
      {"Reserved", fmt::format("{} made, {} kept", summary.promised,
                               summary.promises_kept)}};
  const bool preempts =
      std::ranges::any_of(scenario.queues, [](const auto& queue) {
        return queue.preemption != workers::Preemption::kNever;
      });
  if (preempts || summary.evictions > 0)
    lines.emplace_back("Evictions", Evictions(summary));
  lines.emplace_back(
      "Decisions",
      fmt::format("{} in {:.1f} s; up to {} groups waited",
                  report.course.decisions, report.took, summary.longest_line));
  std::string text;
  for (const auto& [key, value] : lines)
    text += fmt::format("{:<12} {}\n", key + ":", Printable(value));
  if (report.course.stopped)
    text += "It was stopped before it was over: the figures are of a part.\n";
  return text;
}

// Quotes the text if necessary.
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

// Returns "" for no time.
std::string CsvTime(std::int64_t time) {
  return time < 0 ? std::string() : std::to_string(time);
}

}  // namespace

std::string Write(const SimulationReport& report, OutputFormat format) {
  return format == OutputFormat::kTable ? ToTable(report)
                                        : Write(ToJson(report), format);
}

void WriteCsv(const Scenario& scenario, const Course& course,
              std::ostream& out) {
  std::vector<int> pods;
  for (const auto& shape : scenario.shapes) {
    int sum = 0;
    for (const Scenario::Pods& each : shape) sum += each.count;
    pods.push_back(sum);
  }
  std::string text =
      "group,user,queue,pods,nodes,submit,start,end,wait,duration,promised,"
      "promised_at,evictions,state\n";
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const Scenario::Group& group = scenario.groups[i];
    const GroupCourse& run = course.groups[i];
    fmt::format_to(
        std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
        CsvCell(group.name),
        CsvCell(scenario.users[static_cast<std::size_t>(group.user)]),
        CsvCell(scenario.queues[static_cast<std::size_t>(group.queue)].name),
        pods[static_cast<std::size_t>(group.shape)], run.nodes,
        CsvTime(run.submit), CsvTime(run.start), CsvTime(run.end),
        CsvTime(run.start < 0 ? -1 : run.start - run.submit),
        CsvTime(group.duration.value_or(-1)), CsvTime(run.promised),
        CsvTime(run.promised_at), run.restarts, NameOfState(run.state));
    if (text.size() < kCsvBuffer) continue;
    out << text;
    text.clear();
  }
  out << text;
}

}  // namespace fluxnetes::services
