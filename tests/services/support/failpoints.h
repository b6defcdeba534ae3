// Returns the program's failpoints (sql/faults.h), read from its sources so
// that the list is complete.
#pragma once

#include <string>
#include <vector>

namespace fluxnetes::services {

std::vector<std::string> AllFailpoints();

// Further ones, which only a Match of the Fluence-compatible services reaches.
std::vector<std::string> FluenceFailpoints();

// The simulated cluster has no PodGroups; tests/kubernetes covers the
// failpoints that need them.
std::vector<std::string> FailpointsWithoutPodGroups();

// Returns the failpoint as part of a test's name.
std::string TestNameOf(std::string failpoint);

}  // namespace fluxnetes::services
