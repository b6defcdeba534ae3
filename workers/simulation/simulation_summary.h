// The figures of a simulated course, as they are used for batch schedulers
// (Feitelson and Rudolph 1998, "Metrics and Benchmarking for Parallel Job
// Scheduling"; Jain, Chiu and Hawe 1984 for the fairness).
//
//   wait         from submission to start
//   slowdown     bounded: max(1, (wait + run) / max(run, 10 s))
//   utilisation  what groups held of a resource, of what all nodes have of it,
//                over the makespan: from the first submission to the end of the
//                course; the scarcest resource is the one with the highest
//   fairness     Jain's index of the mean slowdowns of the users: 1 if all are
//                equal, 1 / users if one user has all of it
//   reserved     the first start that was reserved for a group; kept if it
//                started by then, broken if it never did, open in a run that
//                was stopped
//
// Waits, slowdown and fairness count the groups that started in the run, not
// those that ran when it began; slowdown and fairness only those of them that
// ended. Pure.
#pragma once

#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::workers {

struct ResourceUse {
  std::string resource;  // "cpu", "nvidia.com/gpu"
  double share = 0;
};

struct SimulationSummary {
  std::size_t groups = 0;
  std::size_t ended = 0;
  std::size_t timed_out = 0;
  std::size_t unsatisfiable = 0;
  std::size_t given_up = 0;
  std::size_t running = 0;  // at the end
  std::size_t waiting = 0;
  std::int64_t makespan = 0;  // seconds, as all times
  double wait_mean = 0;
  std::int64_t wait_p50 = 0, wait_p95 = 0, wait_p99 = 0, wait_most = 0;
  double slowdown = 0;                   // the mean
  std::vector<ResourceUse> utilisation;  // the scarcest first
  double fairness = 1;
  std::size_t users = 0;
  std::size_t evictions = 0;
  std::size_t preempted = 0;  // groups evicted at least once
  std::size_t promised = 0;
  std::size_t promises_kept = 0;
  std::size_t longest_line = 0;
};

SimulationSummary Summarize(const Scenario& scenario, const Course& course);

// When the first group was submitted or, if later, the run began.
std::int64_t FirstInstant(const Scenario& scenario);

// The utilisation of each resource that groups ask for, the scarcest first;
// pods only if they are the scarcest.
std::vector<ResourceUse> UsesOf(const Scenario& scenario, const Course& course);

// The utilisation of a resource in equal parts of the makespan, in order.
std::vector<double> UtilisationOverTime(const Scenario& scenario,
                                        const Course& course,
                                        const std::string& resource, int parts);

}  // namespace fluxnetes::workers
