// An experiment in real time on an API server, for whatever scheduler runs
// there: creates the gangs, sees them being bound, and ends each by deleting
// its pods when it has been whole for as long as it runs. No stage of a kubelet
// decides that: half a gang that is bound holds its nodes for ever.
//
//   const auto result = RunExperiment(access, PingGangs(10),
//                                     {.scheduler = "fluxnetes", .scale
//                                     = 8.5});
//
// Times of the experiment are divided by `scale`; those of the result are
// multiplied again. Pods say by activeDeadlineSeconds how long they run, in
// whole seconds and at least a second and a half more, so that nobody ends them
// but the experiment.
//
// Called from one thread. Throws std::runtime_error when the API server
// refuses something.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cluster/http/http_client.h"
#include "tests/experiments/gang_experiment.h"

namespace fluxnetes::testing {

struct ExperimentOptions {
  std::string scheduler;
  bool native_gangs = false;  // by PodGroups of Kubernetes, else by our labels
  std::string name_space = "default";
  double scale = 1;
  // It is frozen when for so long no gang has become whole, none that is whole
  // runs, and none is to come.
  std::chrono::milliseconds patience{20'000};
};

// From `at` on gangs that are whole hold so many cpus, and others so many.
struct HeldCpus {
  double at = 0;  // in the experiment's time
  int whole = 0;
  int in_part = 0;
};

struct ExperimentResult {
  int gangs = 0;
  int ended = 0;  // fewer: it is frozen
  // In the experiment's time, of the gangs that have ended.
  double makespan = 0;
  double turnaround = 0;  // the mean
  // Gangs of which for more than a second, not scaled, some pods were bound and
  // others not.
  int in_part = 0;
  // Not scaled: the longest time from the first pod's binding to the last's, of
  // gangs that became whole within a second.
  std::chrono::milliseconds longest_burst{0};
  // Not scaled: from when a gang's pods are to be deleted until they are gone,
  // the mean. Here the experiment takes time, not the scheduler.
  std::chrono::duration<double, std::milli> leaving{0};
  double busy = 0;  // share of the machine's processors, meanwhile
  // When each gang became whole, in the experiment's time; -1: it did not.
  std::vector<double> whole_at;
  std::vector<HeldCpus> held;
};

// Leaves the pods of gangs that have not ended behind.
ExperimentResult RunExperiment(const cluster::HttpOptions& access,
                               const GangExperiment& experiment,
                               const ExperimentOptions& options);

}  // namespace fluxnetes::testing
