// Runs an experiment in real time on an API server, with any scheduler: creates
// the gangs, watches their bindings, and ends each gang by deleting its pods
// once it has been complete for its run time. No kubelet ends pods: a gang that
// is bound in part holds its nodes for ever.
//
//   const auto result = RunExperiment(access, PingGangs(10),
//                                     {.scheduler = "fluxnetes", .scale
//                                     = 8.5});
//
// Times of the experiment are divided by `scale`, and those of the result
// multiplied by it. The pods' activeDeadlineSeconds, in whole seconds, exceeds
// their run time by at least a second and a half, so that only the experiment
// ends them.
//
// Used by one thread. Throws std::runtime_error when the API server refuses a
// request.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cluster/http/http_client.h"
#include "tests/experiments/gang_experiment.h"

namespace fluxnetes::testing {

struct ExperimentOptions {
  std::string scheduler;
  bool native_gangs = false;  // by Kubernetes PodGroups, else by our labels
  std::string name_space = "default";
  double scale = 1;
  // The experiment counts as frozen after this long without a newly complete
  // gang, a running complete gang, or a gang still to be created.
  std::chrono::milliseconds patience{20'000};
};

// CPUs held from `at` on, by complete gangs and by incomplete ones.
struct HeldCpus {
  double at = 0;  // in the experiment's time
  int whole = 0;
  int in_part = 0;
};

struct ExperimentResult {
  int gangs = 0;
  int ended = 0;  // less than `gangs`: the experiment froze
  // In the experiment's time, for the gangs that ended.
  double makespan = 0;
  double turnaround = 0;  // the mean
  // Gangs that were bound in part for more than a second, not scaled.
  int in_part = 0;
  // Not scaled: the longest time from the first to the last binding of a gang
  // that was complete within a second.
  std::chrono::milliseconds longest_burst{0};
  // Not scaled: the mean time from the deletion of a gang's pods until they are
  // gone. The experiment takes this time, not the scheduler.
  std::chrono::duration<double, std::milli> leaving{0};
  double busy = 0;  // share of the machine's processors used meanwhile
  // When each gang was complete, in the experiment's time; -1: never.
  std::vector<double> whole_at;
  std::vector<HeldCpus> held;
};

// Leaves the pods of gangs that have not ended.
ExperimentResult RunExperiment(const cluster::HttpOptions& access,
                               const GangExperiment& experiment,
                               const ExperimentOptions& options);

}  // namespace fluxnetes::testing
