#include "tests/experiments/gang_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "tests/experiments/ticks.h"
#include "tests/workers/schedule_reference/schedule_reference.h"

namespace fluxnetes::testing {
namespace {

workers::Workload WorkloadOf(const GangExperiment& experiment) {
  workers::Workload workload;
  workload.cpus.assign(experiment.nodes, experiment.cpu_of_node);
  double comes = 0;
  for (const ExperimentGang& gang : experiment.gangs) {
    workers::TimedGroup& group = workload.groups.emplace_back();
    group.id = static_cast<workers::GroupId>(workload.groups.size());
    group.comes = Ticks(comes);
    group.pods = gang.pods;
    group.cpu = gang.cpu;
    group.runs = Ticks(gang.runs);
    group.duration = Ticks(gang.Estimate());
    comes += experiment.one_by_one ? gang.runs : experiment.gap;
  }
  return workload;
}

GangExperiment Iterated(std::string name, int cpu_of_node, int iterations,
                        const std::vector<ExperimentGang>& gangs) {
  GangExperiment experiment{
      .name = std::move(name), .nodes = 8, .cpu_of_node = cpu_of_node};
  for (int i = 0; i < iterations; ++i) {
    experiment.gangs.insert(experiment.gangs.end(), gangs.begin(), gangs.end());
  }
  return experiment;
}

// Defined here because the distributions of the standard library differ between
// implementations.
double Draw(std::mt19937& engine, double from, double to) {
  return from + (to - from) * static_cast<double>(engine()) /
                    static_cast<double>(std::mt19937::max());
}

}  // namespace

GangExperiment PingGangs(int iterations) {
  constexpr double kRuns = 34;
  return Iterated("run10", 2, iterations,
                  {{2, 2, kRuns},
                   {3, 2, kRuns},
                   {4, 2, kRuns},
                   {5, 2, kRuns},
                   {6, 2, kRuns}});
}

GangExperiment MixedGangs(int iterations, unsigned seed) {
  constexpr double kShortest = 9, kLongest = 128, kMostTooLong = 3;
  GangExperiment experiment = PingGangs(iterations);
  experiment.name = "run10, mixed";
  std::mt19937 engine(seed);
  for (ExperimentGang& gang : experiment.gangs) {
    gang.runs = std::exp(Draw(engine, std::log(kShortest), std::log(kLongest)));
    gang.says = gang.runs * Draw(engine, 1, kMostTooLong);
  }
  return experiment;
}

GangExperiment LammpsGangs(int iterations) {
  return Iterated("run8", 3, iterations,
                  {{2, 1, 27}, {3, 2, 19}, {4, 2, 24}, {5, 2, 25}, {6, 2, 30}});
}

GangExperiment LoneGangs(int pods, int count) {
  constexpr double kRuns = 10;
  return {.name = fmt::format("run6, gangs of {}", pods),
          .nodes = 149,
          .cpu_of_node = 2,
          .gangs = std::vector<ExperimentGang>(count, {pods, 2, kRuns}),
          .one_by_one = true};
}

GangExperiment Unsteady(GangExperiment experiment, double most, unsigned seed) {
  std::mt19937 engine(seed);
  for (ExperimentGang& gang : experiment.gangs)
    gang.runs += Draw(engine, 0, most);
  return experiment;
}

PaperFigures OnPaper(const GangExperiment& experiment,
                     workers::QueuePolicy policy) {
  const workers::Workload workload = WorkloadOf(experiment);
  std::istringstream log(workers::RunReference(workload, policy));
  PaperFigures figures;
  // A start of a group: "340: 3 on node0 node1".
  for (std::string line; std::getline(log, line);) {
    std::istringstream words(line);
    std::int64_t start = 0;
    std::size_t id = 0;
    char colon = 0;
    std::string what;
    words >> start >> colon >> id >> what;
    if (what != "on") continue;
    const workers::TimedGroup& group = workload.groups.at(id - 1);
    const double end = Seconds(start + group.runs);
    figures.makespan = std::max(figures.makespan, end);
    figures.turnaround += end - Seconds(group.comes);
  }
  figures.turnaround /= static_cast<double>(workload.groups.size());
  return figures;
}

}  // namespace fluxnetes::testing
