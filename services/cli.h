// The command line `fluxnetes`: reads the arguments and the configuration, runs
// the command, and turns whatever went wrong into a sentence, what to do next,
// and an exit code (exit_code.h).
#pragma once

#include <string>
#include <vector>

#include "services/console/console.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {

// The process's own: standard streams, signals.
int RunCommandLine(int argc, char** argv);

// `arguments` without the program's name, which is `program`, or a path of it:
// as kubectl-fluxnetes it is a plugin of kubectl, says so in its help, and
// means the namespace of the kubeconfig's context where none is named; as
// kubectl_complete-fluxnetes it completes that plugin's command line. Throws
// nothing.
ExitCode RunCommandLine(const std::vector<std::string>& arguments,
                        Console& console,
                        const std::string& program = "fluxnetes");

}  // namespace fluxnetes::services
