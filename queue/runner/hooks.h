// Callbacks of a program around the work of every kind of job. Hooks observe or
// change what passes; a middleware calls the next one, or does not.
//
// Called by many threads at once. An exception fails the job.
#pragma once

#include <functional>
#include <vector>

#include "queue/runner/running_job.h"

namespace fluxnetes::queue {

using Work = std::function<void(RunningJob&)>;
// Around a callback worker it covers only the start of the work; use Hooks::end
// for the end.
using Middleware = std::function<void(RunningJob&, const Work& next)>;

struct Hooks {
  // Called before the work, on its thread.
  std::function<void(RunningJob&)> begin = {};
  // Called before the result is recorded, on the thread that ended the job; may
  // change the result.
  std::function<void(const Job&, JobResult&)> end = {};
  // The first is the outermost.
  std::vector<Middleware> around = {};
};

}  // namespace fluxnetes::queue
