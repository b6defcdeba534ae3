// The grammar of the commands about groups by name: `fluxnetes describe`,
// `explain`, `cancel`, `hold` and `release`.
// Tests: tests/services/grammar/command_line_test.cc,
// tests/services/explain/explain_pgtest.cc.
#pragma once

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// When one of these commands is parsed, its options become `chosen`; both must
// outlive the application.
void AddDescribeCommand(CLI::App& app, DescribeOptions& options,
                        Command& chosen);
void AddExplainCommand(CLI::App& app, ExplainOptions& options, Command& chosen);
void AddCancelCommand(CLI::App& app, CancelOptions& options, Command& chosen);
void AddHoldCommands(CLI::App& app, HoldOptions& options, Command& chosen);
void AddPriorityCommand(CLI::App& app, PriorityOptions& options,
                        Command& chosen);

}  // namespace fluxnetes::services
