// An experiment in virtual time: on simulated nodes, decided by the Schedule
// that decides on a cluster (workers/simulation/simulation.h), with no time
// between a decision and what comes of it. Takes no longer than the decisions
// do.
#pragma once

#include "tests/experiments/experiment_run.h"
#include "tests/experiments/gang_experiment.h"

namespace fluxnetes::testing {

// Has what time and gangs come to; nothing of bindings, which take none.
ExperimentResult RunInVirtualTime(const GangExperiment& experiment,
                                  workers::QueuePolicy policy);

}  // namespace fluxnetes::testing
