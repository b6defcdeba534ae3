// `fluxnetes submit`: checks manifests and creates their objects at the API
// server, like `kubectl create`. All of them are checked before the first is
// sent, so that an error in one file leaves no partial gang.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// Returns kFailed if an object was refused. Throws Failure: kFailed for invalid
// input, kNoCluster.
ExitCode RunSubmit(const SubmitOptions& options, const Config& config,
                   Console& console);

}  // namespace fluxnetes::services
