// A generator of rigid parallel jobs: the model of U. Lublin and D. G.
// Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs", Journal of Parallel and Distributed Computing
// 63(11), 2003, with its parameters for all jobs together.
//
//   size      serial, or 2 to the power of a number that is drawn from two
//             uniform distributions, mostly rounded
//   run time  e to the power of a hyper-gamma number; large jobs run longer
//   arrivals  e to the power of a gamma number apart, faster by day than by
//             night
//
// The same seed gives the same jobs. Pure.
#pragma once

#include <vector>

#include "cluster/traces/swf_trace.h"

namespace fluxnetes::workers {

struct LublinOptions {
  unsigned seed = 1;
  int jobs = 1'000;
  int nodes = 128;  // processors of the machine
  int largest = 0;  // the largest job, at most `nodes`; 0: `nodes`
  // Requested work as a part of the capacity until the last arrival. The times
  // between arrivals are stretched to reach it; the cycle of the day is not.
  double load = 0.8;
  // Requested durations are up to this many times the run times.
  double longest_estimate = 1;
  int users = 1;  // each job is of a user drawn at random
};

// Numbered from 1 in order of submission.
std::vector<cluster::SwfJob> LublinJobs(const LublinOptions& options);

}  // namespace fluxnetes::workers
