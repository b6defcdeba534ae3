#include "services/simulate/simulation_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

#include "cluster/traces/swf_trace.h"
#include "services/console/exit_code.h"
#include "services/simulate/simulation_nodes.h"
#include "services/simulate/simulation_queues.h"
#include "services/simulate/simulation_snapshot.h"
#include "services/submit/manifest_files.h"
#include "workers/simulation/lublin_model.h"
#include "workers/simulation/manifest_scenario.h"
#include "workers/simulation/resource_use.h"
#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::services {
namespace {

constexpr auto kStandardInput = "(standard input)";
constexpr int kMostDrawnJobs = 20'000'000;

cluster::SwfTrace ReadTraceFile(const std::string& path, Console& console) {
  if (path == "-") return cluster::ReadSwf(console.in, kStandardInput);
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Failure(ExitCode::kFailed, path + ": is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Failure(ExitCode::kFailed, path + ": " + std::strerror(errno));
  return cluster::ReadSwf(in, path);
}

std::int64_t ProcessorsOf(const std::vector<cluster::Node>& nodes) {
  return workers::CpuOf(nodes) / 1'000;
}

// Removes jobs larger than all nodes: they would be unsatisfiable, and their
// size has no bound.
void LeaveOutTooLarge(cluster::SwfTrace& trace,
                      const std::vector<cluster::Node>& nodes,
                      std::vector<TraceNote>& notes) {
  const std::int64_t processors = ProcessorsOf(nodes);
  cluster::SwfCount larger;
  std::erase_if(trace.jobs, [&](const cluster::SwfJob& job) {
    if (job.processors <= processors) return false;
    larger.Add(job.line);
    return true;
  });
  if (larger.jobs == 0) return;
  notes.insert(
      notes.begin(),
      {fmt::format("larger than the {} processors there are", processors),
       larger.jobs, larger.first_line, true});
}

[[noreturn]] void RefuseLublin(const std::string& what) {
  throw Failure(
      ExitCode::kUsage, fmt::format("--lublin: '{}' is not allowed", what),
      "Right would be KEY=VALUE,... of jobs (from 1), load (0.001 to 100), "
      "largest (from 1), estimate (1 to 1000) and users (from 1), each once.");
}

void SetLublin(const std::string& key, double value, const std::string& text,
               workers::LublinOptions& options) {
  const bool whole =
      value >= 1 && value <= kMostDrawnJobs && value == static_cast<int>(value);
  if (key == "load" && value >= 0.001 && value <= 100) {
    options.load = value;
  } else if (key == "estimate" && value >= 1 && value <= 1'000) {
    options.longest_estimate = value;
  } else if (key == "jobs" && whole) {
    options.jobs = static_cast<int>(value);
  } else if (key == "largest" && whole) {
    options.largest = static_cast<int>(value);
  } else if (key == "users" && whole) {
    options.users = static_cast<int>(value);
  } else {
    RefuseLublin(text);
  }
}

workers::LublinOptions ParseLublin(const std::string& text) {
  workers::LublinOptions options;
  std::set<std::string> keys;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t sign = part.find('=');
    if (sign == std::string::npos || !keys.insert(part.substr(0, sign)).second)
      RefuseLublin(part);
    double value = 0;
    const char* const last = part.data() + part.size();
    const auto [read, error] =
        std::from_chars(part.data() + sign + 1, last, value);
    if (error != std::errc() || read != last) RefuseLublin(part);
    SetLublin(part.substr(0, sign), value, part, options);
    at = end + 1;
  }
  return options;
}

SimulationInput OfJobs(const SimulateOptions& options, cluster::SwfTrace trace,
                       SimulatedNodes nodes) {
  SimulationInput input;
  for (const std::string& more : options.add_nodes) AddNodes(more, nodes.nodes);
  input.trace_notes = NotesOf(trace);
  LeaveOutTooLarge(trace, nodes.nodes, input.trace_notes);
  for (const auto* headers : {&trace.faulty_headers, &trace.unclear_headers})
    for (const std::string& fault : *headers)
      input.notes.push_back(fault + "; the header is ignored");
  std::vector<workers::QueueSettings> queues = {{}};
  ChangeQueues(options, queues);
  input.scenario = workers::ScenarioOf(trace.jobs, std::move(nodes.nodes),
                                       nodes.cpus, queues.front());
  input.scenario.queues = std::move(queues);
  ChangePools(options, input.scenario.pools);
  return input;
}

SimulationInput OfLublin(const SimulateOptions& options) {
  SimulatedNodes nodes = NodesOf(options, {});
  workers::LublinOptions drawn = ParseLublin(options.lublin);
  drawn.seed = options.seed;
  if (ProcessorsOf(nodes.nodes) < 1)
    throw NoNodes("the nodes have no whole processor",
                  "nodes of 1 cpu or more");
  drawn.nodes = static_cast<int>(std::min<std::int64_t>(
      ProcessorsOf(nodes.nodes), std::numeric_limits<int>::max()));
  cluster::SwfTrace trace;
  trace.jobs = workers::LublinJobs(drawn);
  SimulationInput input = OfJobs(options, std::move(trace), std::move(nodes));
  input.source = fmt::format("{} jobs of Lublin's model", drawn.jobs);
  return input;
}

// Returns the initial state.
Snapshot Beginning(const SimulateOptions& options, sql::Pool* pool,
                   std::int64_t now) {
  if (pool != nullptr) {
    if (!options.nodes.empty() || options.cpus_per_node)
      throw Failure(ExitCode::kUsage, "the nodes are those of the database",
                    "Right would be --add-nodes, or no --snapshot.");
    return ReadSnapshot(*pool, now);
  }
  if (options.nodes.empty() || GivesNumber(options))
    throw NoNodes("manifests need nodes with memory and all else",
                  "--nodes FILE, with a file that lists nodes");
  Snapshot empty;
  SimulatedNodes file = NodesFromFile(options);
  empty.scenario.nodes = std::move(file.nodes);
  empty.scenario.devices = std::move(file.devices);
  empty.scenario.queues = {{}};
  return empty;
}

// Only an API server knows the priority of a class.
void NotePriorityClass(const cluster::Manifest& manifest,
                       std::vector<std::string>& notes) {
  const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object);
  const auto* pod = job == nullptr
                        ? std::get_if<cluster::PodTemplate>(&manifest.object)
                        : &job->pod_template;
  if (pod == nullptr || pod->priority_class.empty() || pod->pod.priority != 0)
    return;
  notes.push_back(fmt::format(
      "{}: its priorityClassName {} counts as priority 0; give priority",
      manifest.place, pod->priority_class));
}

std::vector<AddedNodes> AddAllNodes(const SimulateOptions& options,
                                    workers::Scenario& scenario) {
  workers::TopologyOrder levels;
  for (const workers::QueueSettings& queue : scenario.queues)
    levels.insert(levels.end(), queue.topology.begin(), queue.topology.end());
  std::vector<AddedNodes> added;
  for (const std::string& more : options.add_nodes)
    added.push_back(
        AddNodes(more, scenario.nodes, levels, &scenario.devices.slices));
  return added;
}

void NoteLevels(const std::vector<AddedNodes>& added, SimulationInput& input) {
  if (added.empty()) return;
  const std::set<std::string> asked = LevelsAskedFor(input.scenario);
  for (const AddedNodes& each : added)
    for (std::string& note : NotesOnLevels(each, asked))
      input.notes.push_back(std::move(note));
}

SimulationInput OfManifests(const SimulateOptions& options,
                            const Config& config, sql::Pool* pool,
                            Console& console) {
  const std::int64_t now =
      std::chrono::floor<std::chrono::seconds>(console.now())
          .time_since_epoch()
          .count();
  SimulationInput input;
  Snapshot beginning = Beginning(options, pool, now);
  input.scenario = std::move(beginning.scenario);
  input.notes = std::move(beginning.notes);
  ChangeQueues(options, input.scenario.queues);
  const std::vector<AddedNodes> added = AddAllNodes(options, input.scenario);
  ChangePools(options, input.scenario.pools);
  input.source = pool == nullptr ? "manifests" : "the database";
  if (options.files.empty()) {
    NoteLevels(added, input);
    return input;
  }
  if (pool != nullptr) input.source += ", and manifests";
  const std::size_t known = input.scenario.groups.size();
  workers::ManifestScenario groups(input.scenario, config.schedulers, now);
  for (const cluster::Manifest& manifest :
       ReadManifestFiles({.files = options.files,
       .namespace_name = options.namespace_name,
       .pod_groups = true,
       .devices = true,
       .names = true,
       .otherwise = "nothing was simulated"},
                         console)) {
    NotePriorityClass(manifest, input.notes);
    groups.Add(manifest);
  }
  groups.Finish();
  NoteLevels(added, input);
  input.notes.insert(input.notes.end(), groups.notes().begin(),
                     groups.notes().end());
  const std::string whose = WithRulesAboutPods(input.scenario, known);
  if (pool != nullptr && !whose.empty())
    input.notes.push_back(
        "rules about other pods see those of the manifests only: of " + whose);
  return input;
}

void CheckInputs(const SimulateOptions& options) {
  const int inputs =
      static_cast<int>(!options.trace.empty()) +
      static_cast<int>(!options.files.empty() || options.snapshot) +
      static_cast<int>(!options.lublin.empty());
  if (inputs == 1) return;
  throw Failure(ExitCode::kUsage,
                inputs == 0 ? "there is nothing to simulate"
                            : "there is more than one thing to simulate",
                "Right would be one of --swf FILE, --lublin jobs=1000, -f FILE "
                "and --snapshot, or the last two together.");
}

SimulationInput GatherInput(const SimulateOptions& options,
                            const Config& config, sql::Pool* pool,
                            Console& console) {
  if (options.trace.empty() && options.lublin.empty())
    return OfManifests(options, config, pool, console);
  if (!options.lublin.empty()) return OfLublin(options);
  cluster::SwfTrace trace = ReadTraceFile(options.trace, console);
  SimulatedNodes nodes = NodesOf(options, trace);
  SimulationInput input = OfJobs(options, std::move(trace), std::move(nodes));
  input.source = options.trace == "-" ? kStandardInput : options.trace;
  return input;
}

// A typing error in a queue's name creates a queue without groups.
void NoteIdleQueues(const SimulateOptions& options, SimulationInput& input) {
  std::set<std::string> used;
  for (const workers::Scenario::Group& group : input.scenario.groups)
    used.insert(
        input.scenario.queues[static_cast<std::size_t>(group.queue)].name);
  std::set<std::string> idle;
  for (const std::string& text : options.queues) {
    const std::string name = text.substr(0, text.find(':'));
    if (!used.contains(name) && idle.insert(name).second)
      input.notes.push_back(
          fmt::format("--queue {}: no group is in this queue", name));
  }
}

}  // namespace

SimulationInput ReadSimulation(const SimulateOptions& options,
                               const Config& config, sql::Pool* pool,
                               Console& console) {
  CheckInputs(options);
  try {
    SimulationInput input = GatherInput(options, config, pool, console);
    NoteIdleQueues(options, input);
    return input;
  } catch (const cluster::InputError& error) {
    throw Failure(ExitCode::kFailed, error.what());
  }
}

}  // namespace fluxnetes::services
