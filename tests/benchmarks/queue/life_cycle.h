// Runs whole life cycles of jobs for a while: inserts a batch, leases it,
// finishes it.
#pragma once

#include <chrono>
#include <vector>

#include "tests/benchmarks/queue/job_loop.h"

namespace fluxnetes::benchmark {

// Jobs per second of the time spent in the step.
struct Rates {
  double insert, lease, finish, whole;
};

Rates RunLives(JobLoop& loop, int batch, std::chrono::milliseconds duration);

// One rate of several runs.
std::vector<double> Column(const std::vector<Rates>& runs, double Rates::*rate);

}  // namespace fluxnetes::benchmark
