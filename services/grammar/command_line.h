// The grammar of the command line: reads the arguments into options.h, and
// tells the commands and flags that there are, for completion.
#pragma once

#include <string>
#include <vector>

#include "services/grammar/command_tree.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// How the program is called: by its name, or by kubectl as a plugin, and the
// namespace that is meant where none is named.
struct CalledAs {
  std::string program = "fluxnetes";
  std::string namespace_name = "default";
};

// `arguments` without the program's name. Throws Failure (kUsage).
Invocation ParseCommandLine(const std::vector<std::string>& arguments,
                            const CalledAs& called = {});

CommandTree DescribeCommandLine(const CalledAs& called = {});

}  // namespace fluxnetes::services
