// `fluxnetes version`: of the program, and of the schema that it needs.
#pragma once

#include "services/console.h"
#include "services/exit_code.h"
#include "services/options.h"

namespace fluxnetes::services {

ExitCode RunVersion(const VersionOptions& options, Console& console);

}  // namespace fluxnetes::services
