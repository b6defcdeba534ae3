// What the changes of an experiment's gangs come to.
#pragma once

#include <chrono>
#include <vector>

#include "tests/experiments/experiment_run.h"
#include "tests/experiments/gang_watch.h"

namespace fluxnetes::testing {

struct GangHistory {
  int in_part = 0;  // as in ExperimentResult, and the others too
  std::chrono::milliseconds longest_burst{0};
  std::vector<HeldCpus> held;
};

// One that is in part at the end was until `end`.
GangHistory HistoryOf(const std::vector<GangChange>& changes,
                      const std::vector<ExperimentGang>& gangs,
                      SteadyTime begin, SteadyTime end, double scale);

}  // namespace fluxnetes::testing
