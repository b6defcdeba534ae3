// The figures of a simulated course, as they are used for batch schedulers
// (Feitelson and Rudolph 1998, "Metrics and Benchmarking for Parallel Job
// Scheduling"; Jain, Chiu and Hawe 1984 for the fairness).
//
//   wait         from submission to start
//   slowdown     bounded: max(1, (wait + run) / max(run, 10 s))
//   utilisation  cpu that groups held, of all cpu of the nodes, over the
//                makespan: from the first submission to the end of the course
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

#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::workers {

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
  double slowdown = 0;  // the mean
  double utilisation = 0;
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

// Thousandths of a core: the sum over all nodes, and over the pods of each
// shape.
std::int64_t CpuOf(const std::vector<cluster::Node>& nodes);
std::vector<std::int64_t> CpuOfShapes(const Scenario& scenario);

// The utilisation in equal parts of the makespan, in order.
std::vector<double> UtilisationOverTime(const Scenario& scenario,
                                        const Course& course, int parts);

}  // namespace fluxnetes::workers
