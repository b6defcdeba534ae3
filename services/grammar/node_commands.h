// The grammar of the commands about nodes: `fluxnetes drain` and `undrain`.
// Tests: tests/services/editing/drain_pgtest.cc.
#pragma once

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// When one of these commands is parsed, its options become `chosen`; both must
// outlive the application.
void AddDrainCommands(CLI::App& app, DrainOptions& options, Command& chosen);

}  // namespace fluxnetes::services
