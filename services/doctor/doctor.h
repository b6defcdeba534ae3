// `fluxnetes doctor`: checks everything the scheduler depends on, and reports
// problems and remedies. It changes nothing.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// Returns kFailed if a check fails; warnings return kOk. Throws nothing because
// of what it checks, not even for a faulty configuration.
ExitCode RunDoctor(const DoctorOptions& options, const ConfigSources& sources,
                   Console& console);

}  // namespace fluxnetes::services
