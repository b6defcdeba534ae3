// `fluxnetes delete`: deletes Jobs and pods, and waits until they are gone, so
// that their names are free. The API server may be any.
// Tests: tests/services/submit/delete_test.cc.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// Goes on after an object that cannot be deleted. Throws Failure (kUsage,
// kNoCluster).
ExitCode RunDelete(const DeleteOptions& options, const Config& config,
                   Console& console);

}  // namespace fluxnetes::services
