// The flags of `fluxnetes simulate`.
#pragma once

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// `options` must outlive the command.
void AddSimulateFlags(CLI::App& command, SimulateOptions& options);

}  // namespace fluxnetes::services
