// Runs an experiment in virtual time on simulated nodes with the Schedule of
// the real scheduler (workers/simulation/simulation.h), without delay between a
// decision and its effect. Takes only as long as the decisions do.
#pragma once

#include "tests/experiments/experiment_run.h"
#include "tests/experiments/gang_experiment.h"

namespace fluxnetes::testing {

// The result has times and gangs, but no figures of bindings, which take no
// time.
ExperimentResult RunInVirtualTime(const GangExperiment& experiment,
                                  workers::QueuePolicy policy);

}  // namespace fluxnetes::testing
