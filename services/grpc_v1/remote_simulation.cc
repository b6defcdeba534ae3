#include "services/grpc_v1/remote_simulation.h"

#include <chrono>
#include <sstream>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/console/exit_code.h"
#include "services/simulate/simulation_input.h"
#include "services/simulate/simulation_report.h"
#include "workers/simulation/simulation.h"
#include "workers/simulation/simulation_summary.h"

namespace fluxnetes::services {
namespace {

using WallClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestRun{60};

SimulateOptions OptionsFor(const v1::SimulateRequest& request) {
  SimulateOptions options;
  options.snapshot = true;
  if (!request.manifests().empty()) options.files = {"-"};
  if (!request.namespace_().empty())
    options.namespace_name = request.namespace_();
  options.policy = request.queue_policy();
  options.queues.assign(request.queues().begin(), request.queues().end());
  options.add_nodes.assign(request.add_nodes().begin(),
                           request.add_nodes().end());
  options.output = OutputFormat::kJson;
  return options;
}

// Reads the input through a console whose standard input is the manifests; the
// messages printed there become the error.
SimulationInput ReadFor(const v1::SimulateRequest& request,
                        const Config& config, sql::Pool& pool) {
  std::istringstream in(request.manifests());
  std::ostringstream out;
  std::ostringstream err;
  Console console{
      .in = in,
      .out = out,
      .err = err,
      .size = [] { return std::pair(0, 0); },
      .now =
          [] {
            return std::chrono::floor<std::chrono::microseconds>(
                std::chrono::system_clock::now());
          },
      .environment = [](const char*) -> const char* { return nullptr; },
      .wait = [](auto) { return false; }};
  try {
    return ReadSimulation(OptionsFor(request), config, &pool, console);
  } catch (const Failure& failure) {
    throw Failure(ExitCode::kUsage, err.str() + failure.what(), failure.next());
  }
}

void FillTime(std::int64_t seconds, google::protobuf::Timestamp* time) {
  time->set_seconds(seconds);
}

void FillCourse(
    google::protobuf::RepeatedPtrField<v1::SimulatedGroup>& messages,
    const workers::Scenario& scenario, const workers::Course& course) {
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    v1::SimulatedGroup& went = *messages.Add();
    went.set_name(scenario.groups[i].name);
    const workers::GroupCourse& itself = course.groups[i];
    if (itself.start >= 0) FillTime(itself.start, went.mutable_starts_at());
    if (itself.end >= 0) FillTime(itself.end, went.mutable_ends_at());
    for (int n = 0; n < itself.nodes; ++n) {
      const auto place = static_cast<std::size_t>(course.first_node[i] + n);
      const auto node = static_cast<std::size_t>(course.nodes[place]);
      went.add_nodes(scenario.nodes[node].name);
    }
  }
}

}  // namespace

void SimulateFor(const v1::SimulateRequest& request,
                 v1::SimulateResponse& response, const Config& config,
                 sql::Pool& pool, const std::function<bool()>& stop) {
  const SimulationInput input = ReadFor(request, config, pool);
  SimulationInput present;
  if (request.compare()) present = ReadFor({}, config, pool);
  const auto from = WallClock::now();
  workers::SimulationOptions how;
  how.keep_nodes = true;
  how.progress = [&](const workers::SimulationProgress&) {
    return !stop() && WallClock::now() - from < kLongestRun;
  };
  const workers::Course course = workers::Simulate(input.scenario, how);
  const std::chrono::duration<double> took = WallClock::now() - from;
  response.set_summary_json(
      Write({.input = input,
             .course = course,
             .summary = workers::Summarize(input.scenario, course),
             .took = took.count()},
            OutputFormat::kJson));
  FillTime(course.begin, response.mutable_begins_at());
  FillCourse(*response.mutable_groups(), input.scenario, course);
  if (request.compare())
    FillCourse(*response.mutable_unchanged(), present.scenario,
               workers::Simulate(present.scenario, how));
  for (const std::string& note : input.notes) response.add_notes(note);
}

}  // namespace fluxnetes::services
