// The flags of `fluxnetes simulate`.
// Tests: tests/services/simulate/simulate_test.cc.
#pragma once

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// `options` must outlive the command.
void AddSimulateFlags(CLI::App& command, SimulateOptions& options);

}  // namespace fluxnetes::services
