// `fluxnetes submit`: checks manifests and creates their objects at the API
// server, as `kubectl create` does. All of them are checked before the first
// one is sent, so that a slip in one file leaves no half of a gang behind.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// kFailed if an object was refused. Throws Failure: kFailed for input that
// cannot be, kNoCluster.
ExitCode RunSubmit(const SubmitOptions& options, const Config& config,
                   Console& console);

}  // namespace fluxnetes::services
