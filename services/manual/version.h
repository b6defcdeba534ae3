// `fluxnetes version`: the versions of the program and of the schema it needs.
// Tests: tests/services/grammar/command_line_test.cc.
#pragma once

#include <string_view>

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

std::string_view Version();  // of the program: "0.1.0"

ExitCode RunVersion(const VersionOptions& options, Console& console);

}  // namespace fluxnetes::services
