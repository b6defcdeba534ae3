// The grammar of the command line: parses the arguments into the structs of
// options.h, and lists the commands and flags for completion.
#pragma once

#include <string>
#include <vector>

#include "services/grammar/command_tree.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// How the program was called: by its name, or by kubectl as a plugin; and the
// default namespace.
struct CalledAs {
  std::string program = "fluxnetes";
  std::string namespace_name = "default";
};

// `arguments` leaves out the program's name. Throws Failure (kUsage).
Invocation ParseCommandLine(const std::vector<std::string>& arguments,
                            const CalledAs& called = {});

CommandTree DescribeCommandLine(const CalledAs& called = {});

}  // namespace fluxnetes::services
