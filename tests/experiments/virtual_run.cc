#include "tests/experiments/virtual_run.h"

#include <algorithm>
#include <map>

#include "tests/experiments/gang_objects.h"
#include "tests/experiments/ticks.h"
#include "workers/simulation/simulation.h"
#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::testing {
namespace {

workers::Scenario ScenarioOf(const GangExperiment& experiment,
                             workers::QueuePolicy policy) {
  workers::Scenario scenario;
  scenario.nodes =
      workers::NodesOfCpus(experiment.nodes, experiment.cpu_of_node);
  scenario.queues = {{.queue_policy = policy}};
  scenario.users = {"default"};
  for (const ExperimentGang& gang : experiment.gangs) {
    const int index = static_cast<int>(scenario.groups.size());
    cluster::PodRequest request;
    request.resources.cpu_milli = 1'000LL * gang.cpu;
    request.resources.pods = 1;
    scenario.requests.push_back({request});
    scenario.shapes.push_back({{index, gang.pods}});
    workers::Scenario::Group& group = scenario.groups.emplace_back();
    group.name = GroupOfGang(index);
    group.submit = experiment.one_by_one ? 0 : Ticks(index * experiment.gap);
    group.after = experiment.one_by_one ? index - 1 : -1;
    group.runs = Ticks(gang.runs);
    group.duration = Ticks(gang.Estimate());
    group.shape = index;
  }
  return scenario;
}

}  // namespace

ExperimentResult RunInVirtualTime(const GangExperiment& experiment,
                                  workers::QueuePolicy policy) {
  const workers::Course course =
      workers::Simulate(ScenarioOf(experiment, policy));
  ExperimentResult result;
  result.gangs = static_cast<int>(experiment.gangs.size());
  std::map<std::int64_t, int> changes;  // of the CPUs held
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const workers::GroupCourse& group = course.groups[i];
    result.whole_at.push_back(group.start < 0 ? -1 : Seconds(group.start));
    if (group.state != workers::GroupCourse::State::kEnded) continue;
    ++result.ended;
    result.makespan = std::max(result.makespan, Seconds(group.end));
    result.turnaround += Seconds(group.end - group.submit);
    const int cpus = experiment.gangs[i].pods * experiment.gangs[i].cpu;
    changes[group.start] += cpus;
    changes[group.end] -= cpus;
  }
  if (result.ended > 0) result.turnaround /= result.ended;
  int held = 0;
  for (const auto& [at, change] : changes) {
    held += change;
    result.held.push_back({Seconds(at), held, 0});
  }
  return result;
}

}  // namespace fluxnetes::testing
