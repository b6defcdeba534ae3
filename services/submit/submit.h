// `fluxnetes submit`: checks manifests and creates their objects at the API
// server, like `kubectl create`. All of them are checked before the first is
// sent, so that an error in one file leaves no partial gang.
#pragma once

#include <functional>

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Opens the database if a manifest asks for pools of the cluster. Returns
// kFailed if an object was refused. Throws Failure: kFailed for invalid input,
// kNoCluster.
ExitCode RunSubmit(const SubmitOptions& options, const Config& config,
                   const std::function<sql::Pool&()>& database,
                   Console& console);

}  // namespace fluxnetes::services
