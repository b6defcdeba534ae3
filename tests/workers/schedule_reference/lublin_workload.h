// Jobs of the Lublin model (workers/simulation/lublin_model.h), each a group of
// as many pods of one cpu, one on a node.
#pragma once

#include "tests/workers/schedule_reference/schedule_reference.h"
#include "workers/simulation/lublin_model.h"

namespace fluxnetes::workers {

Workload LublinWorkload(const LublinOptions& options);

}  // namespace fluxnetes::workers
