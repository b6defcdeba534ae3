// Computes the results of an experiment from the changes of its gangs.
#pragma once

#include <chrono>
#include <vector>

#include "tests/experiments/experiment_run.h"
#include "tests/experiments/gang_watch.h"

namespace fluxnetes::testing {

struct GangHistory {
  int in_part = 0;  // like the other fields as in ExperimentResult
  std::chrono::milliseconds longest_burst{0};
  std::vector<HeldCpus> held;
};

// A gang that is bound in part at the end was so until `end`.
GangHistory HistoryOf(const std::vector<GangChange>& changes,
                      const std::vector<ExperimentGang>& gangs,
                      SteadyTime begin, SteadyTime end, double scale);

}  // namespace fluxnetes::testing
