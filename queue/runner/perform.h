// Runs one leased job on the calling thread: hooks, middleware, worker. On
// return the job of a blocking worker has ended; the job of a callback worker
// continues if a copy of its RunningJob was kept. Exceptions of workers are
// caught. Returns false if the job was abandoned meanwhile and this thread was
// replaced.
// Tests: tests/queue/runner/runner_pgtest.cc,
// tests/queue/runner/hooks_pgtest.cc.
#pragma once

#include <memory>

#include "queue/runner/run.h"
#include "queue/runner/running_jobs.h"

namespace fluxnetes::queue {

bool Perform(const std::shared_ptr<RunningJobs>& all,
             const std::shared_ptr<Run>& run);

}  // namespace fluxnetes::queue
