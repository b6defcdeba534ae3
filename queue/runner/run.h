// One attempt of a job in this process; internal to the runner. The mutex of
// RunningJobs guards its members, except the constant ones and the stop source,
// which is thread-safe itself. Clang cannot check that, as a run does not know
// its RunningJobs. Once the job has ended, the result belongs to ResultWriter.
// Tests: tests/queue/runner/runner_pgtest.cc.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "queue/jobs/job.h"
#include "queue/runner/running_job.h"
#include "queue/runner/workers.h"

namespace fluxnetes::queue {

using Moment = std::chrono::steady_clock::time_point;

struct Run {
  // Constant after construction.
  Job job = {};
  std::shared_ptr<const Worker> worker = {};  // null: none for this kind
  Moment leased_at = {};

  std::stop_source stop = {};

  Moment begun_at = Moment::max();  // max: not yet
  Moment ended_at = {};
  // When the job times out, and when it is abandoned after a stop request.
  Moment stop_at = Moment::max();
  Moment abandon_at = Moment::max();
  StopReason reason = StopReason::kNone;
  bool has_ended = false;
  bool is_on_thread = false;    // its worker has not returned
  bool is_stuck = false;        // nor had it when it was abandoned
  bool is_handed_over = false;  // completed in a transaction of the worker's
  std::string metadata = {};    // merged into the job's with the result
  JobResult result = {};
};

}  // namespace fluxnetes::queue
