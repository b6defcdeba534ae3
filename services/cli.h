// The command line `fluxnetes`: reads the arguments and the configuration, runs
// the command, and turns any failure into a sentence, a next step and an exit
// code (exit_code.h).
// Tests: tests/services/grammar/command_line_test.cc.
#pragma once

#include <string>
#include <vector>

#include "services/console/console.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {

// Uses the process's standard streams and signals.
int RunCommandLine(int argc, char** argv);

// `arguments` leaves out the program's name, which is `program` (it may be a
// path). As kubectl-fluxnetes the program is a kubectl plugin: its help says
// so, and the default namespace is that of the kubeconfig's context. As
// kubectl_complete-fluxnetes it completes the plugin's command line. Throws
// nothing.
ExitCode RunCommandLine(const std::vector<std::string>& arguments,
                        Console& console,
                        const std::string& program = "fluxnetes");

}  // namespace fluxnetes::services
