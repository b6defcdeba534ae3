// Public measurements of gang schedulers (converged-computing/
// operator-experiments, google/scheduler, April 2024), described so that they
// can be repeated without a cloud: gangs that come one after another to equal
// nodes, each of which holds its places for a given time from when it is whole.
// A gang that is not whole never ends.
//
// Values; all times are those of the experiment, in seconds, not scaled.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "workers/schedule/schedule.h"

namespace fluxnetes::testing {

struct ExperimentGang {
  int pods = 1;
  int cpu = 1;      // of each pod
  double runs = 0;  // from when it is whole to its end
  double says = 0;  // for how long its pods ask; less than `runs`: for that
  double Estimate() const { return std::max(runs, says); }
};

struct GangExperiment {
  std::string name;
  int nodes = 0;
  int cpu_of_node = 0;
  std::vector<ExperimentGang> gangs = {};  // in order of coming
  double gap = 0.3;                        // between two of them
  bool one_by_one = false;  // each comes when the one before it has ended
};

// run10: iterations of gangs of 2, 3, 4, 5 and 6 pods of a node each, on eight
// nodes. A gang lasts for 34 s, which in 2024 was what its pods took to go.
GangExperiment PingGangs(int iterations);

// The same sizes, but each gang lasts for 9 to 128 s, short ones as often as
// long ones by the logarithm, and asks for one to three times as long. Where
// all run for the same time and say so, there is little to backfill.
GangExperiment MixedGangs(int iterations, unsigned seed);

// run8: 2 x 1 cpu, 3 x 2, 4 x 2, 5 x 2 and 6 x 2, on eight nodes of 3 cpus: one
// takes a pod of 2 and a pod of 1.
GangExperiment LammpsGangs(int iterations);

// run6: no contention. Gangs of one size, each alone on 149 nodes.
GangExperiment LoneGangs(int pods, int count);

// The same, but each gang runs for up to `most` s longer, and knows it: as they
// do where it takes a while until pods are gone.
GangExperiment Unsteady(GangExperiment experiment, double most, unsigned seed);

struct PaperFigures {
  double makespan = 0;    // from the first coming to the last end
  double turnaround = 0;  // from a gang's coming to its end, the mean
};

// By the plain definition of the policy, with no time between a decision and
// what comes of it.
PaperFigures OnPaper(const GangExperiment& experiment,
                     workers::QueuePolicy policy);

}  // namespace fluxnetes::testing
