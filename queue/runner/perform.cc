#include "queue/runner/perform.h"

#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>

#include "queue/runner/hooks.h"
#include "queue/runner/running_job.h"

namespace fluxnetes::queue {
namespace {

void CallThrough(std::span<const Middleware> around, const Work& innermost,
                 RunningJob& job) {
  if (around.empty()) return innermost(job);
  around.front()(job, [&](RunningJob& inner) {
    CallThrough(around.subspan(1), innermost, inner);
  });
}

void Call(const RunningJobs& all, const Run& run, RunningJob& job) {
  if (all.hooks().begin) all.hooks().begin(job);
  CallThrough(all.hooks().around, run.worker->work, job);
}

void WorkOn(const std::shared_ptr<RunningJobs>& all,
            const std::shared_ptr<Run>& run) {
  if (run->worker == nullptr) {
    all->EndUnsaid(run, fmt::format("nobody here works on jobs of the kind {}",
                                    run->job.kind));
    return;
  }
  RunningJob job(all, run);
  if (job.StopRequested()) {
    all->EndUnsaid(run, "it was stopped before it began");
    return;
  }
  try {
    Call(*all, *run, job);
    if (run->worker->is_blocking) job.Complete();
  } catch (const std::exception& error) {
    all->EndUnsaid(run, error.what());
  } catch (...) {
    all->EndUnsaid(run, "its worker threw what is no std::exception");
  }
}

}  // namespace

bool Perform(const std::shared_ptr<RunningJobs>& all,
             const std::shared_ptr<Run>& run) {
  if (!all->Begin(*run)) return true;
  WorkOn(all, run);
  return all->Leave(*run);
}

}  // namespace fluxnetes::queue
