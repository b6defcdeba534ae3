// The input of `fluxnetes simulate`: a scenario from a trace, from generated
// jobs, from manifests, or from a database with additions.
// Tests: tests/services/simulate/simulate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/grammar/options.h"
#include "services/simulate/trace_notes.h"
#include "sql/connection/pool.h"
#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

struct SimulationInput {
  workers::Scenario scenario;
  std::string source;              // for people: "trace.swf"
  std::vector<std::string> notes;  // what was left out, and why
  std::vector<TraceNote> trace_notes;
};

// `pool` is that of the database for --snapshot, else null. Throws Failure:
// kUsage, or kFailed for invalid input; and sql::Error.
SimulationInput ReadSimulation(const SimulateOptions& options,
                               const Config& config, sql::Pool* pool,
                               Console& console);

}  // namespace fluxnetes::services
