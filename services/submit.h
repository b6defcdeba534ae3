// `fluxnetes submit`: checks manifests and creates their objects at the API
// server, as `kubectl create` does. All of them are checked before the first
// one is sent, so that a slip in one file leaves no half of a gang behind.
#pragma once

#include "services/config.h"
#include "services/console.h"
#include "services/exit_code.h"
#include "services/options.h"

namespace fluxnetes::services {

// kFailed if an object was refused. Throws Failure: kFailed for input that
// cannot be, kNoCluster.
ExitCode RunSubmit(const SubmitOptions& options, const Config& config,
                   Console& console);

}  // namespace fluxnetes::services
