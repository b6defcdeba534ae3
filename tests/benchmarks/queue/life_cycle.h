// Whole lives of jobs, for a while: insert a batch, lease it, finish it.
#pragma once

#include <chrono>
#include <vector>

#include "tests/benchmarks/queue/job_loop.h"

namespace fluxnetes::benchmark {

// In jobs per second of the time that went into it.
struct Rates {
  double insert, lease, finish, whole;
};

Rates RunLives(JobLoop& loop, int batch, std::chrono::milliseconds duration);

// As a column of several runs.
std::vector<double> Column(const std::vector<Rates>& runs, double Rates::*rate);

}  // namespace fluxnetes::benchmark
