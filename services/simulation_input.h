// What `fluxnetes simulate` is asked to run: a scenario from a trace, from
// manifests or from drawn jobs.
#pragma once

#include <string>
#include <vector>

#include "services/config.h"
#include "services/console.h"
#include "services/options.h"
#include "workers/simulation.h"

namespace fluxnetes::services {

struct SimulationInput {
  workers::Scenario scenario;
  std::string source;              // for people: "trace.swf"
  std::vector<std::string> notes;  // what was left out, and why
  std::int64_t left_out = 0;       // jobs of a trace
};

// Throws Failure: kUsage, or kFailed for input that cannot be.
SimulationInput ReadSimulation(const SimulateOptions& options,
                               const Config& config, Console& console);

}  // namespace fluxnetes::services
