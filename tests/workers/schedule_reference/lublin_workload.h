// Jobs of the Lublin model (workers/simulation/lublin_model.h): each is a group
// with one pod per node, of one cpu.
#pragma once

#include "tests/workers/schedule_reference/schedule_reference.h"
#include "workers/simulation/lublin_model.h"

namespace fluxnetes::workers {

Workload LublinWorkload(const LublinOptions& options);

}  // namespace fluxnetes::workers
