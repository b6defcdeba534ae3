// The grammar of the commands about objects of the cluster by name: `fluxnetes
// delete`.
// Tests: tests/services/grammar/command_line_test.cc,
// tests/services/submit/delete_test.cc.
#pragma once

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// When one of these commands is parsed, its options become `chosen`; both must
// outlive the application.
void AddDeleteCommand(CLI::App& app, DeleteOptions& options, Command& chosen);

}  // namespace fluxnetes::services
