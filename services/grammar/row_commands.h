// The grammar of the commands that edit rows of settings: `fluxnetes queue`,
// `fluxnetes account` and `fluxnetes pool`.
// Tests: tests/services/grammar/command_line_test.cc,
// tests/services/editing/queue_command_pgtest.cc.
#pragma once

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// When one of these commands is parsed, its options become `chosen`; both must
// outlive the application.
void AddQueueCommands(CLI::App& app, QueueOptions& options, Command& chosen);
void AddAccountCommands(CLI::App& app, AccountOptions& options,
                        Command& chosen);
void AddPoolCommands(CLI::App& app, PoolOptions& options, Command& chosen);

}  // namespace fluxnetes::services
