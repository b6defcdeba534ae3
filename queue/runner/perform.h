// Works one leased job on the calling thread: hooks, middleware, worker. When
// it returns a blocking worker's job has ended; one of a callback worker goes
// on if someone kept it. Throws nothing that a worker throws. False: the job
// was abandoned meanwhile, and this thread was replaced.
#pragma once

#include <memory>

#include "queue/runner/run.h"
#include "queue/runner/running_jobs.h"

namespace fluxnetes::queue {

bool Perform(const std::shared_ptr<RunningJobs>& all,
             const std::shared_ptr<Run>& run);

}  // namespace fluxnetes::queue
