// The grammar of the command line: reads the arguments into options.h, and
// tells the commands and flags that there are, for completion.
#pragma once

#include <string>
#include <vector>

#include "services/command_tree.h"
#include "services/options.h"

namespace fluxnetes::services {

// `arguments` without the program's name. Throws Failure (kUsage).
Invocation ParseCommandLine(const std::vector<std::string>& arguments);

CommandTree DescribeCommandLine();

}  // namespace fluxnetes::services
