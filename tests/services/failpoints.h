// The failpoints of the program (sql/faults.h), read from its sources, so that
// none is forgotten.
#pragma once

#include <string>
#include <vector>

namespace fluxnetes::services {

std::vector<std::string> AllFailpoints();

// Beside these: where only a forerunner's Match comes by.
std::vector<std::string> ForerunnerFailpoints();

// As a part of the name of a test.
std::string TestNameOf(std::string failpoint);

}  // namespace fluxnetes::services
