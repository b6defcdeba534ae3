// What a program may put around the work of every kind. Hooks look on or touch
// what passes; a middleware calls the next one, or does not.
//
// Called by many threads at once. What throws there fails the job.
#pragma once

#include <functional>
#include <vector>

#include "queue/runner/running_job.h"

namespace fluxnetes::queue {

using Work = std::function<void(RunningJob&)>;
// Of a callback worker it surrounds the beginning only; Hooks::end sees the
// end.
using Middleware = std::function<void(RunningJob&, const Work& next)>;

struct Hooks {
  // Before the work, on its thread.
  std::function<void(RunningJob&)> begin = {};
  // Before the result is recorded, on the thread that ended the job; may change
  // the result.
  std::function<void(const Job&, JobResult&)> end = {};
  // The first is the outermost.
  std::vector<Middleware> around = {};
};

}  // namespace fluxnetes::queue
