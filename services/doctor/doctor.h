// `fluxnetes doctor`: looks at everything that the scheduler rests on and says
// what is wrong and how to mend it. It changes nothing.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// kFailed if something does not work; warnings are kOk. Throws nothing that has
// to do with what it looks at, also not with the configuration.
ExitCode RunDoctor(const DoctorOptions& options, const ConfigSources& sources,
                   Console& console);

}  // namespace fluxnetes::services
