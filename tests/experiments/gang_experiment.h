// Public measurements of gang schedulers
// (converged-computing/operator-experiments, google/scheduler, April 2024),
// described so that they can be repeated without a cloud: gangs arrive one
// after another at equal nodes, and each holds its placements for a given time
// once it is complete. An incomplete gang never ends.
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
  double runs = 0;  // from complete to its end
  double says = 0;  // the duration its pods request; if below `runs`, `runs`
  double Estimate() const { return std::max(runs, says); }
};

struct GangExperiment {
  std::string name;
  int nodes = 0;
  int cpu_of_node = 0;
  std::vector<ExperimentGang> gangs = {};  // in order of arrival
  double gap = 0.3;                        // between two arrivals
  bool one_by_one = false;  // each arrives when the previous one has ended
};

// run10: iterations of gangs of 2, 3, 4, 5 and 6 pods of a whole node each, on
// eight nodes. A gang runs for 34 s, the time its pods took to terminate in
// 2024.
GangExperiment PingGangs(int iterations);

// The same sizes, but each gang runs for 9 to 128 s, log-uniformly, and
// requests one to three times as long. With equal and exact run times there is
// little to backfill.
GangExperiment MixedGangs(int iterations, unsigned seed);

// run8: 2 x 1 cpu, 3 x 2, 4 x 2, 5 x 2 and 6 x 2, on eight nodes of 3 CPUs,
// each of which fits a pod of 2 and a pod of 1.
GangExperiment LammpsGangs(int iterations);

// run6: no contention; gangs of one size, one at a time, on 149 nodes.
GangExperiment LoneGangs(int pods, int count);

// The same, but each gang runs for up to `most` s longer and requests that: as
// if its pods took that long to terminate.
GangExperiment Unsteady(GangExperiment experiment, double most, unsigned seed);

struct PaperFigures {
  double makespan = 0;    // from the first arrival to the last end
  double turnaround = 0;  // mean time from a gang's arrival to its end
};

// Computed by the plain definition of the policy, with no delay between a
// decision and its effect.
PaperFigures OnPaper(const GangExperiment& experiment,
                     workers::QueuePolicy policy);

}  // namespace fluxnetes::testing
