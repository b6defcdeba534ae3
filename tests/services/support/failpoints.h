// The failpoints of the program (sql/faults.h), read from its sources, so that
// none is forgotten.
#pragma once

#include <string>
#include <vector>

namespace fluxnetes::services {

std::vector<std::string> AllFailpoints();

// Beside these: where only a forerunner's Match comes by.
std::vector<std::string> ForerunnerFailpoints();

// The simulated cluster has no PodGroups: tests/kubernetes dies where they
// matter.
std::vector<std::string> FailpointsWithoutPodGroups();

// As a part of the name of a test.
std::string TestNameOf(std::string failpoint);

}  // namespace fluxnetes::services
