// Public experiments with gangs (tests/experiments): by Fluxnetes in virtual
// time; and on a real API server by Fluxnetes, by Kubernetes' own scheduler,
// and by that with its native gang scheduling, one after the other. Prints one
// JSON object per row.
//
//   experiments_benchmark [ROW [RUNS [SCALE]]]
//
// ROW is run10, run10-100, run10-mixed, run8 or run6; `virtual` runs all of
// them in virtual time only, which takes seconds. On the API server the
// experiment runs SCALE (8.5) times as fast as the original, and the times
// printed are multiplied by SCALE. The data of a plot are objects with `held`:
// the CPUs held over time.
//
// Exits with 4 if Kubernetes' own scheduler ended all gangs although gangs
// bound in part should have frozen it: then the experiment is not reproduced.
//
// FLUXNETES_CLUSTER_TOOLS is the folder of the programs of hack/cluster.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/benchmarks/kubernetes/rows.h"
#include "tests/benchmarks/kubernetes/world.h"
#include "tests/experiments/experiment_run.h"
#include "tests/experiments/virtual_run.h"

namespace fluxnetes::benchmarks {
namespace {

using testing::ExperimentResult;
using testing::GangExperiment;
using testing::PaperFigures;
using workers::QueuePolicy;

constexpr int kNotFrozen = 4;         // exit status
constexpr double kAbovePaper = 1.02;  // limit, times the peer
// Eighths and halves of 34 s become whole seconds, as activeDeadlineSeconds
// needs.
constexpr double kScale = 8.5;
constexpr std::chrono::seconds kWarmUp{120};

struct Experiment {
  GangExperiment gangs;
  std::string name;
  bool freezes = true;  // with a scheduler that binds pod by pod
  // Paper figures by policy, if they were computed for the experiment by other
  // means; else this program computes them.
  std::map<std::string, PaperFigures> paper = {};
  PaperFigures fluence = {};  // measured in 2024; 0: not measured
};

struct Line {
  std::string name;
  std::string policy = {};  // of Fluxnetes; empty: kube-scheduler
  bool native_gangs = false;
};

const std::vector<Line>& Lines() {
  static const std::vector<Line> lines = {
      {"Fluxnetes, easy", "easy"},
      {"Fluxnetes, fcfs", "fcfs"},
      {"kube-scheduler"},
      {"kube-scheduler, native gangs", "", true}};
  return lines;
}

Contestant Start(World& world, const Line& line, double scale) {
  if (line.policy.empty()) {
    // The same as ten seconds of the original.
    const int backoff = std::max(1, static_cast<int>(10 / scale));
    return world.KubeScheduler(line.native_gangs, backoff);
  }
  Contestant ours = world.Fluxnetes();
  ours.database->Execute("UPDATE queues SET queue_policy = '" + line.policy +
                         "' WHERE name = 'default'");
  return ours;
}

ExperimentResult RunOnce(World& world, const Line& line,
                         const GangExperiment& gangs, double scale) {
  ControlPlane& plane = world.plane();
  const Contestant contestant = Start(world, line, scale);
  const std::string scheduler =
      line.policy.empty() ? "default-scheduler" : "fluxnetes";
  {
    BindingWatch watch(plane, "warm");
    plane.Create("warm", 1, {.scheduler = scheduler});
    if (watch.WaitFor(1, kWarmUp).empty())
      throw std::runtime_error(line.name + " does not bind");
  }
  plane.DeleteAll();
  auto result = testing::RunExperiment(plane.access(), gangs,
                                       {.scheduler = scheduler,
                                        .native_gangs = line.native_gangs,
                                        .scale = scale});
  Say(line.name + ": " + std::to_string(result.ended) + " of " +
      std::to_string(result.gangs) + " gangs ended, " +
      std::to_string(result.in_part) + " seen in part, makespan " +
      std::to_string(result.makespan) + ", turnaround " +
      std::to_string(result.turnaround) + ", longest burst " +
      std::to_string(result.longest_burst.count()) + " ms, to leave " +
      std::to_string(result.leaving.count()) + " ms, processors busy " +
      std::to_string(result.busy));
  return result;
}

struct Results {
  std::vector<double> ended, in_part, makespan, turnaround, burst, leaving,
      busy;
  int gangs = 0;
  std::vector<testing::HeldCpus> held;  // of the first run

  void Add(ExperimentResult result) {
    gangs = result.gangs;
    ended.push_back(result.ended);
    in_part.push_back(result.in_part);
    burst.push_back(static_cast<double>(result.longest_burst.count()));
    leaving.push_back(result.leaving.count());
    busy.push_back(100 * result.busy);
    if (held.empty()) held = std::move(result.held);
    if (result.ended < result.gangs) return;
    makespan.push_back(result.makespan);
    turnaround.push_back(result.turnaround);
  }
  bool AlwaysEnded() const { return makespan.size() == ended.size(); }
};

void PrintLine(const Experiment& experiment, const Line& line,
               const Results& results) {
  auto held = nlohmann::json::array();
  for (const auto& [at, whole, in_part] : results.held)
    held.push_back({std::round(at * 10) / 10, whole, in_part});
  std::cout << nlohmann::json{{"experiment", experiment.name},
                              {"scheduler", line.name},
                              {"cpus", experiment.gangs.nodes *
                                           experiment.gangs.cpu_of_node},
                              {"held", std::move(held)}}
                   .dump()
            << std::endl;
}

PaperFigures PaperOf(const Experiment& experiment, const std::string& policy) {
  const auto known = experiment.paper.find(policy);
  if (known != experiment.paper.end()) return known->second;
  return OnPaper(experiment.gangs, workers::ParseQueuePolicy(policy).value());
}

// Decisions take no time, so any excess over the paper figures is due to them.
void MeasureInVirtualTime(const Experiment& experiment) {
  for (const std::string policy : {"easy", "fcfs", "conservative"}) {
    const Line line{"Fluxnetes, " + policy + ", virtual time", policy};
    Results results;
    results.Add(testing::RunInVirtualTime(
        experiment.gangs, workers::ParseQueuePolicy(policy).value()));
    const std::string row = experiment.name + ", " + line.name;
    const PaperFigures paper = PaperOf(experiment, policy);
    PrintRow(row, "gangs ended", results.ended,
             {{"limit", static_cast<double>(results.gangs)}});
    PrintRow(row, "s in all", results.makespan,
             {{"limit", kAbovePaper * paper.makespan}});
    PrintRow(row, "s from coming to end, mean", results.turnaround,
             {{"limit", kAbovePaper * paper.turnaround}});
    PrintLine(experiment, line, results);
  }
}

// Measures the sensitivity to small delays: how much a hundred runs differ in
// which each gang takes up to kLonger more.
void MeasureUnsteady(const Experiment& experiment) {
  constexpr double kLonger = 0.5;
  constexpr unsigned kSeeds = 100;
  for (const std::string policy : {"easy", "fcfs", "conservative"}) {
    Results results;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      results.Add(testing::RunInVirtualTime(
          testing::Unsteady(experiment.gangs, kLonger, seed),
          workers::ParseQueuePolicy(policy).value()));
    }
    const std::string row = experiment.name + ", Fluxnetes, " + policy +
                            ", virtual time, each up to 0.5 s longer";
    PrintRow(row, "s in all", results.makespan, {});
    PrintRow(row, "s from coming to end, mean", results.turnaround, {});
  }
}

// `peer`: another scheduler that also ended all gangs, if there is one.
void PrintRows(const Experiment& experiment, const Line& line,
               const Results& results, const Results& peer) {
  const std::string row = experiment.name + ", " + line.name;
  const bool ours = !line.policy.empty();
  std::map<std::string, double> ended, in_part, makespan, turnaround;
  if (ours) {
    ended["limit"] = results.gangs;
    in_part["limit"] = 0;
    if (peer.AlwaysEnded()) {
      makespan["peer"] = Median(peer.makespan);
      turnaround["peer"] = Median(peer.turnaround);
    }
    if (experiment.freezes) {
      const PaperFigures paper = PaperOf(experiment, line.policy);
      makespan["limit"] = kAbovePaper * paper.makespan;
      turnaround["limit"] = kAbovePaper * paper.turnaround;
    } else if (peer.AlwaysEnded()) {
      makespan["limit"] = kAbovePaper * Median(peer.makespan);
    }
    if (experiment.fluence.makespan > 0) {
      makespan["elsewhere"] = experiment.fluence.makespan;
      turnaround["elsewhere"] = experiment.fluence.turnaround;
    }
  }
  PrintRow(row, "gangs ended", results.ended, ended);
  PrintRow(row, "gangs seen in part", results.in_part, in_part);
  if (!results.makespan.empty()) {
    PrintRow(row, "s in all", results.makespan, makespan);
    PrintRow(row, "s from coming to end, mean", results.turnaround, turnaround);
  }
  PrintRow(row, "ms from first to last binding, most", results.burst);
  PrintRow(row, "ms for a gang to leave, mean", results.leaving);
  PrintRow(row, "% of the processors busy", results.busy);
}

// Returns false if an experiment that should freeze did not.
bool Measure(const Experiment& experiment, int runs, double scale) {
  std::vector<Results> results(Lines().size());
  bool as_known = true;
  for (int run = 0; run < runs; ++run) {
    Say(experiment.name + ": starting a cluster");
    World world(0);
    world.plane().AddNodes("node", experiment.gangs.nodes,
                           experiment.gangs.cpu_of_node);
    for (std::size_t i = 0; i < Lines().size(); ++i) {
      const Line& line = Lines()[i];
      results[i].Add(RunOnce(world, line, experiment.gangs, scale));
      world.plane().DeleteAll();
      if (experiment.freezes && line.policy.empty() && !line.native_gangs &&
          results[i].ended.back() == results[i].gangs) {
        std::cerr << "error: " << experiment.name << ": " << line.name
                  << " was not frozen\n";
        as_known = false;
      }
    }
  }
  const Results& peer = results[experiment.freezes ? 3 : 2];
  for (std::size_t i = 0; i < Lines().size(); ++i) {
    PrintRows(experiment, Lines()[i], results[i], peer);
    PrintLine(experiment, Lines()[i], results[i]);
  }
  return as_known;
}

std::vector<Experiment> Named(const std::string& row) {
  constexpr int kLoneGangs = 10;
  if (row == "run10") {
    return {{testing::PingGangs(10),
             "run10, 50 gangs",
             true,
             {{"fcfs", {1'054, 533}}, {"easy", {1'020, 460}}},
             {1'432, 770}}};
  }
  if (row == "run10-100") {
    return {{testing::PingGangs(20),
             "run10, 100 gangs",
             true,
             {{"fcfs", {2'074, 1'035}}, {"easy", {1'938, 877}}}}};
  }
  if (row == "run10-mixed") {
    return {{testing::MixedGangs(10, 1), "run10, 50 mixed gangs"}};
  }
  if (row == "run8") {
    return {{testing::LammpsGangs(20),
             "run8, 100 gangs",
             true,
             {},
             {7'121, 2'177}}};
  }
  if (row == "run6") {
    std::vector<Experiment> experiments;
    for (const int pods : {16, 8, 4}) {
      auto gangs = testing::LoneGangs(pods, kLoneGangs);
      const std::string name = gangs.name;
      experiments.push_back({std::move(gangs), name, false});
    }
    return experiments;
  }
  return {};
}

int Run(const std::string& only, int runs, double scale) {
  bool as_known = true;
  const bool all = only.empty() || only == "virtual";
  const std::vector<std::string> rows =
      all ? std::vector<std::string>{"run10", "run10-100", "run10-mixed",
                                     "run8", "run6"}
          : std::vector<std::string>{only};
  for (const std::string& row : rows) {
    const auto experiments = Named(row);
    if (experiments.empty()) {
      std::cerr << "error: no row '" << row << "'\n";
      return 2;
    }
    for (const Experiment& experiment : experiments) {
      MeasureInVirtualTime(experiment);
      if (experiment.freezes) MeasureUnsteady(experiment);
      if (only == "virtual") continue;
      as_known = Measure(experiment, runs, scale) && as_known;
    }
  }
  return as_known ? 0 : kNotFrozen;
}

}  // namespace
}  // namespace fluxnetes::benchmarks

int main(int argc, char** argv) {
  using fluxnetes::benchmarks::kScale;
  try {
    return fluxnetes::benchmarks::Run(argc > 1 ? argv[1] : "",
                                      argc > 2 ? std::atoi(argv[2]) : 3,
                                      argc > 3 ? std::atof(argv[3]) : kScale);
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
