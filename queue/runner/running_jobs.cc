#include "queue/runner/running_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

// Limit of unrecorded results, beyond one per slot.
constexpr std::size_t kUnrecorded = 2'000;
// How long results are gathered for one statement while jobs still run.
constexpr milliseconds kGatherEnded{1};

}  // namespace

RunningJobs::RunningJobs(std::shared_ptr<WorkQueue> queue, Workers workers,
                         RunningJobsOptions options)
    : queue_(std::move(queue)),
      workers_(std::move(workers)),
      options_(std::move(options)) {
  max_unrecorded_ = kUnrecorded;
  for (const auto& [queue, slots] : options_.slots) {
    max_unrecorded_ += slots;
    used_[queue] = 0;
  }
}

void RunningJobs::OnRoom(std::function<void()> callback) {
  on_room_ = std::move(callback);
}

void RunningJobs::OnSooner(std::function<void()> callback) {
  on_sooner_ = std::move(callback);
}

void RunningJobs::OnStuck(std::function<void(const Run&)> callback) {
  on_stuck_ = std::move(callback);
}

int RunningJobs::Slots(const std::string& queue) const {
  return options_.slots.at(queue);
}

int RunningJobs::Free(const std::string& queue) const {
  const sql::MutexLock lock(mutex_);
  const auto unrecorded = runs_.size() - running_;
  if (unrecorded >= max_unrecorded_) return 0;
  return Slots(queue) - used_.at(queue);
}

RunningJobs::Runs RunningJobs::Add(std::vector<Job> jobs) {
  Runs runs;
  runs.reserve(jobs.size());
  const Moment now = Now();
  for (Job& job : jobs) {
    auto run = std::make_shared<Run>();
    run->worker = workers_.Find(job.kind);
    run->job = std::move(job);
    run->leased_at = now;
    runs.push_back(std::move(run));
  }
  const sql::MutexLock lock(mutex_);
  for (const auto& run : runs) {
    runs_[{run->job.id, run->job.attempt}] = run;
    ++used_.at(run->job.queue);
    ++running_;
  }
  return runs;
}

bool RunningJobs::Begin(Run& run) {
  milliseconds timeout = options_.timeout;
  if (run.worker != nullptr && run.worker->options.timeout.count() > 0)
    timeout = run.worker->options.timeout;
  bool is_sooner = false;
  {
    const sql::MutexLock lock(mutex_);
    if (run.has_ended || run.begun_at != Moment::max()) return false;
    run.begun_at = Now();
    run.is_on_thread = true;
    if (timeout.count() > 0 && run.reason == StopReason::kNone) {
      run.stop_at = run.begun_at + timeout;
      is_sooner = run.stop_at < next_stop_;
      next_stop_ = std::min(next_stop_, run.stop_at);
    }
  }
  if (is_sooner) on_sooner_();
  return true;
}

bool RunningJobs::Leave(Run& run) {
  const sql::MutexLock lock(mutex_);
  run.is_on_thread = false;
  return !run.is_stuck;
}

JobResult RunningJobs::Unsaid(const Run& run, const std::string& error) const {
  JobResult result;
  switch (ReasonOf(run)) {
    case StopReason::kAsked:
      result.outcome = Outcome::kCancelled;
      return result;
    case StopReason::kStopping:
    case StopReason::kLost:
      result.outcome = Outcome::kSnoozed;
      return result;
    case StopReason::kTimedOut:
      result.outcome = Outcome::kFailed;
      result.error = "timed out: " + error;
      return result;
    case StopReason::kNone:
      break;
  }
  result.outcome = Outcome::kFailed;
  result.error = error;
  return result;
}

bool RunningJobs::EndUnsaid(const std::shared_ptr<Run>& run,
                            const std::string& error) {
  {
    const sql::MutexLock lock(mutex_);
    if (run->has_ended) return false;
  }
  return End(run, Unsaid(*run, error));
}

bool RunningJobs::End(const std::shared_ptr<Run>& run, JobResult result) {
  {
    const sql::MutexLock lock(mutex_);
    if (run->has_ended) return false;
  }
  result.id = run->job.id;
  result.attempt = run->job.attempt;
  try {
    if (result.outcome == Outcome::kFailed && !result.delay &&
        run->worker != nullptr && run->worker->options.back_off)
      result.delay = run->worker->options.back_off(run->job, result.error);
    if (options_.hooks.end) options_.hooks.end(run->job, result);
  } catch (const std::exception& error) {
    result.outcome = Outcome::kFailed;
    result.error = fmt::format("a hook failed: {}", error.what());
  }
  return Finish(run, result);
}

bool RunningJobs::Finish(const std::shared_ptr<Run>& run, JobResult& result) {
  if (IsHandedOver(*run) && result.outcome != Outcome::kFailed) {
    // PostgreSQL refuses this result if the transaction was committed.
    result.outcome = Outcome::kFailed;
    result.error = "the transaction that completed it was not committed";
  }
  bool makes_room = false;
  {
    const sql::MutexLock lock(mutex_);
    if (run->has_ended) return false;
    if (result.metadata.empty()) result.metadata = std::move(run->metadata);
    run->has_ended = true;
    run->ended_at = Now();
    if (run->begun_at == Moment::max()) run->begun_at = run->ended_at;
    run->result = std::move(result);
    ended_.push_back(run);
    const int slots = Slots(run->job.queue);
    const int used = --used_.at(run->job.queue);
    makes_room = used == slots - 1 || used == slots / 2;
    --running_;
    if (ended_.size() == 1 || running_ == 0) ended_changed_.NotifyOne();
    if (running_ == 0) emptied_.NotifyAll();
  }
  if (makes_room) on_room_();
  return true;
}

void RunningJobs::CompleteIn(sql::Transaction& transaction, Run& run) {
  JobResult result;
  result.id = run.job.id;
  result.attempt = run.job.attempt;
  {
    const sql::MutexLock lock(mutex_);
    if (run.has_ended) throw LeaseLost("the job has ended");
    run.is_handed_over = true;
    result.metadata = run.metadata;
  }
  if (!queue_->Finish(transaction, std::vector{result})[0])
    throw LeaseLost(fmt::format("job {} is not in attempt {} any more",
                                result.id, result.attempt));
}

void RunningJobs::SetMetadata(Run& run, std::string object) {
  const sql::MutexLock lock(mutex_);
  run.metadata = std::move(object);
}

StopReason RunningJobs::ReasonOf(const Run& run) const {
  const sql::MutexLock lock(mutex_);
  return run.reason;
}

bool RunningJobs::IsHandedOver(const Run& run) const {
  const sql::MutexLock lock(mutex_);
  return run.is_handed_over;
}

bool RunningJobs::NoteStop(const Runs& runs, StopReason reason) {
  if (runs.empty()) return false;
  const Moment abandon_at = reason == StopReason::kStopping
                                ? Moment::max()
                                : Now() + options_.abandon_after;
  for (const auto& run : runs) {
    run->reason = reason;
    run->stop_at = Moment::max();
    run->abandon_at = std::min(run->abandon_at, abandon_at);
  }
  const bool is_sooner = abandon_at < next_stop_;
  next_stop_ = std::min(next_stop_, abandon_at);
  return is_sooner;
}

// Callbacks of a stop token may end the job.
void RunningJobs::RequestStop(const Runs& runs, bool is_sooner) {
  for (const auto& run : runs) run->stop.request_stop();
  if (is_sooner) on_sooner_();
}

bool RunningJobs::Stop(std::int64_t job, StopReason reason) {
  Runs found;
  bool is_sooner = false;
  {
    const sql::MutexLock lock(mutex_);
    for (const auto& [key, run] : runs_)
      if (key.job == job && !run->has_ended && run->reason == StopReason::kNone)
        found.push_back(run);
    is_sooner = NoteStop(found, reason);
  }
  RequestStop(found, is_sooner);
  return !found.empty();
}

void RunningJobs::StopAll(StopReason reason) {
  Runs found;
  bool is_sooner = false;
  {
    const sql::MutexLock lock(mutex_);
    for (const auto& [key, run] : runs_)
      if (!run->has_ended &&
          (run->reason == StopReason::kNone || reason == StopReason::kLost))
        found.push_back(run);
    is_sooner = NoteStop(found, reason);
  }
  RequestStop(found, is_sooner);
}

void RunningJobs::GiveBackWaiting() {
  Runs waiting;
  {
    const sql::MutexLock lock(mutex_);
    for (const auto& [key, run] : runs_)
      if (!run->has_ended && run->begun_at == Moment::max()) {
        run->begun_at = Now();  // no thread may begin it any more
        waiting.push_back(run);
      }
  }
  JobResult given_back;
  given_back.outcome = Outcome::kSnoozed;
  for (const auto& run : waiting) End(run, given_back);
}

Moment RunningJobs::Expire() {
  Runs late;
  Runs lost;
  sql::MutexLock lock(mutex_);
  const Moment now = Now();
  Moment next = Moment::max();
  for (const auto& [key, run] : runs_) {
    if (run->has_ended) continue;
    if (run->abandon_at <= now) {
      lost.push_back(run);
    } else if (run->stop_at <= now) {
      late.push_back(run);
    } else {
      next = std::min({next, run->stop_at, run->abandon_at});
    }
  }
  if (!late.empty()) next = std::min(next, now + options_.abandon_after);
  next_stop_ = next;
  const bool is_sooner = NoteStop(late, StopReason::kTimedOut);
  lock.Unlock();
  RequestStop(late, is_sooner);
  for (const auto& run : lost) Abandon(run);
  return next;
}

void RunningJobs::Abandon(const std::shared_ptr<Run>& run) {
  bool is_stuck = false;
  {
    const sql::MutexLock lock(mutex_);
    if (run->has_ended) return;
    run->is_stuck = is_stuck = run->is_on_thread;
  }
  EndUnsaid(run, "its worker did not stop and was abandoned");
  if (is_stuck) on_stuck_(*run);
}

void RunningJobs::AbandonAll() {
  Runs found;
  {
    const sql::MutexLock lock(mutex_);
    for (const auto& [key, run] : runs_)
      if (!run->has_ended) found.push_back(run);
  }
  for (const auto& run : found) Abandon(run);
}

bool RunningJobs::WaitForEnds(milliseconds patience) {
  const Moment until = std::chrono::steady_clock::now() + patience;
  const sql::MutexLock lock(mutex_);
  while (running_ != 0 && emptied_.WaitUntil(mutex_, until)) {
  }
  return running_ == 0;
}

bool RunningJobs::WaitForRecords(milliseconds patience) {
  const Moment until = std::chrono::steady_clock::now() + patience;
  const sql::MutexLock lock(mutex_);
  while (!runs_.empty() && emptied_.WaitUntil(mutex_, until)) {
  }
  return runs_.empty();
}

RunningJobs::Runs RunningJobs::TakeEnded(std::size_t limit) {
  const sql::MutexLock lock(mutex_);
  while (!closed_ && ended_.empty()) ended_changed_.Wait(mutex_);
  // More jobs often end a moment after the first and share its statement.
  const Moment gathered = std::chrono::steady_clock::now() + kGatherEnded;
  while (!closed_ && running_ != 0 && ended_.size() < limit &&
         ended_changed_.WaitUntil(mutex_, gathered)) {
  }
  if (ended_.size() <= limit) return std::exchange(ended_, {});
  const auto end = ended_.begin() + static_cast<std::ptrdiff_t>(limit);
  Runs taken(std::make_move_iterator(ended_.begin()),
             std::make_move_iterator(end));
  ended_.erase(ended_.begin(), end);
  return taken;
}

void RunningJobs::Close() {
  const sql::MutexLock lock(mutex_);
  closed_ = true;
  ended_changed_.NotifyAll();
}

void RunningJobs::Forget(const Runs& recorded) {
  bool makes_room = false;
  {
    const sql::MutexLock lock(mutex_);
    const auto before = runs_.size() - running_;
    for (const auto& run : recorded)
      runs_.erase({run->job.id, run->job.attempt});
    makes_room = before >= max_unrecorded_;
    if (runs_.empty()) emptied_.NotifyAll();
  }
  if (makes_room) on_room_();
}

bool RunningJobs::Knows(std::int64_t job, int attempt) const {
  const sql::MutexLock lock(mutex_);
  return runs_.contains({job, attempt});
}

int RunningJobs::running() const {
  const sql::MutexLock lock(mutex_);
  return running_;
}

}  // namespace fluxnetes::queue
