#include "queue/runner/running_job.h"

#include <utility>

#include "queue/runner/run.h"
#include "queue/runner/running_jobs.h"

namespace fluxnetes::queue {

struct RunningJob::Hold {
  Hold(std::shared_ptr<RunningJobs> all_jobs, std::shared_ptr<Run> one)
      : all(std::move(all_jobs)), run(std::move(one)) {}
  ~Hold() { all->EndUnsaid(run, "its worker let go of it without a result"); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  const std::shared_ptr<RunningJobs> all;
  const std::shared_ptr<Run> run;
};

RunningJob::RunningJob(std::shared_ptr<RunningJobs> all,
                       std::shared_ptr<Run> run)
    : hold_(std::make_shared<Hold>(std::move(all), std::move(run))) {}

const Job& RunningJob::job() const { return hold_->run->job; }

std::stop_token RunningJob::stop_token() const {
  return hold_->run->stop.get_token();
}

StopReason RunningJob::stop_reason() const {
  return hold_->all->ReasonOf(*hold_->run);
}

bool RunningJob::Complete() { return End(Outcome::kCompleted); }

bool RunningJob::Fail(std::string error, std::string trace) {
  return End(Outcome::kFailed, std::move(error), {}, std::move(trace));
}

bool RunningJob::Snooze(std::chrono::milliseconds delay) {
  return End(Outcome::kSnoozed, {}, delay);
}

bool RunningJob::Cancel() { return End(Outcome::kCancelled); }

bool RunningJob::Discard(std::string error) {
  return End(Outcome::kDiscarded, std::move(error));
}

void RunningJob::SetMetadata(std::string object) {
  hold_->all->SetMetadata(*hold_->run, std::move(object));
}

void RunningJob::CompleteIn(sql::Transaction& transaction) {
  hold_->all->CompleteIn(transaction, *hold_->run);
}

bool RunningJob::End(Outcome outcome, std::string error,
                     std::optional<std::chrono::milliseconds> delay,
                     std::string trace) {
  JobResult result;
  result.outcome = outcome;
  result.error = std::move(error);
  result.delay = delay;
  result.trace = std::move(trace);
  return hold_->all->End(hold_->run, std::move(result));
}

}  // namespace fluxnetes::queue
