// The objects of an experiment's gangs, as JSON for an API server.
#pragma once

#include <string>

#include "tests/experiments/experiment_run.h"

namespace fluxnetes::testing {

// Gang 3 has the pods g3-0, g3-1, ...
std::string PodOfGang(int gang, int member);
// The name of its group or PodGroup.
std::string GroupOfGang(int gang);

std::string PodGroupObject(int gang, const ExperimentGang& shape);
std::string PodObject(int gang, int member, const ExperimentGang& shape,
                      const ExperimentOptions& options);

}  // namespace fluxnetes::testing
