// Returns the program's failpoints (sql/faults.h), read from its sources so
// that the list is complete.
#pragma once

#include <string>
#include <vector>

namespace fluxnetes::services {

std::vector<std::string> AllFailpoints();

// Further ones, which only a Match of the Fluence-compatible services reaches.
std::vector<std::string> FluenceFailpoints();

// Those that groups without PodGroup objects come by, some with claims of
// devices; tests/kubernetes covers the others.
std::vector<std::string> FailpointsOfPlainGroups();

// Returns the failpoint as part of a test's name.
std::string TestNameOf(std::string failpoint);

}  // namespace fluxnetes::services
