#include "queue/runner/result_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "sql/error.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kResultBatch = 1'000;
constexpr milliseconds kFirstPause{20};
constexpr milliseconds kLongestPause{2'000};

// Whether the data is at fault, not the server, the connection or the schema
// (PostgreSQL documentation, appendix A).
bool IsFaultOfData(const sql::Error& error) {
  const std::string state = error.sqlstate().substr(0, 2);
  return state == "22" || state == "23" || state == "54";
}

EventKind KindOf(const Run& run, bool accepted, bool in_doubt) {
  if (run.is_handed_over && !accepted) return EventKind::kCompleted;
  if (!accepted && !in_doubt) return EventKind::kLost;
  if (run.reason == StopReason::kAsked &&
      (run.result.outcome == Outcome::kFailed ||
       run.result.outcome == Outcome::kSnoozed))
    return EventKind::kCancelled;
  switch (run.result.outcome) {
    case Outcome::kCompleted:
      return EventKind::kCompleted;
    case Outcome::kSnoozed:
      return EventKind::kSnoozed;
    case Outcome::kCancelled:
      return EventKind::kCancelled;
    case Outcome::kDiscarded:
      return EventKind::kDiscarded;
    case Outcome::kFailed:
      break;
  }
  return run.job.attempt >= run.job.max_attempts ? EventKind::kDiscarded
                                                 : EventKind::kFailed;
}

Event EventOf(const Run& run, EventKind kind, Moment now) {
  const auto micro = [](auto duration) {
    return std::chrono::duration_cast<microseconds>(duration);
  };
  Event event;
  event.kind = kind;
  event.job = run.job;
  if (!run.is_handed_over) event.error = run.result.error;
  event.waited = micro(run.begun_at - run.leased_at);
  event.ran = micro(run.ended_at - run.begun_at);
  event.recorded = micro(now - run.ended_at);
  return event;
}

}  // namespace

ResultWriter::ResultWriter(WorkQueue& queue, RunningJobs& running,
                           EventStream& events, OnFailure on_failure)
    : queue_(queue),
      running_(running),
      events_(events),
      on_failure_(std::move(on_failure)) {}

ResultWriter::~ResultWriter() { Stop(); }

void ResultWriter::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void ResultWriter::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  stop_.NotifyAll();
  running_.Close();
  if (thread_.joinable()) thread_.join();
}

void ResultWriter::Loop() {
  while (true) {
    RunningJobs::Runs runs = running_.TakeEnded(kResultBatch);
    if (runs.empty() || !Persist({.runs = std::move(runs)})) return;
  }
}

void ResultWriter::Write(const RunningJobs::Runs& runs) {
  if (!runs.empty()) Persist({.runs = runs});
}

bool ResultWriter::Persist(Batch batch) {
  std::vector<Batch> left;
  left.push_back(std::move(batch));
  milliseconds pause = kFirstPause;
  while (!left.empty()) {
    if (Try(left)) {
      pause = kFirstPause;
    } else if (!Pause(pause)) {
      return false;
    } else {
      pause = std::min(2 * pause, kLongestPause);
    }
  }
  Tell("");
  return true;
}

bool ResultWriter::Try(std::vector<Batch>& left) {
  Batch& batch = left.back();
  std::vector<JobResult> results;
  results.reserve(batch.runs.size());
  for (const auto& run : batch.runs) results.push_back(run->result);
  try {
    const std::vector<bool> accepted = queue_.Finish(results);
    Record(batch, accepted);
    left.pop_back();
    return true;
  } catch (const sql::Error& error) {
    batch.in_doubt = batch.in_doubt || error.InDoubt();
    Tell(error.what());
    if (!IsFaultOfData(error)) return false;
  } catch (const std::exception& error) {
    Tell(error.what());
  }
  Part(left);
  return true;
}

void ResultWriter::Part(std::vector<Batch>& left) {
  Batch batch = std::move(left.back());
  left.pop_back();
  if (batch.runs.size() == 1) {
    if (batch.is_plain) {
      running_.Forget(batch.runs);  // the fetcher gives it back
      return;
    }
    JobResult& result = batch.runs[0]->result;
    result = {.id = result.id, .attempt = result.attempt};
    result.outcome = Outcome::kFailed;
    result.error = "its result was refused: " + failing_;
    batch.is_plain = true;
    left.push_back(std::move(batch));
    return;
  }
  const auto half =
      batch.runs.begin() + static_cast<std::ptrdiff_t>(batch.runs.size() / 2);
  left.push_back({{half, batch.runs.end()}, batch.in_doubt, false});
  left.push_back({{batch.runs.begin(), half}, batch.in_doubt, false});
}

void ResultWriter::Tell(const std::string& failure) {
  if (failing_ == failure) return;
  failing_ = failure;
  on_failure_(failure);
}

void ResultWriter::Record(const Batch& batch,
                          const std::vector<bool>& accepted) {
  running_.Forget(batch.runs);
  if (!events_.HasSubscribers()) return;
  const Moment now = running_.Now();
  for (std::size_t i = 0; i < batch.runs.size(); ++i)
    events_.Publish(EventOf(*batch.runs[i],
                            KindOf(*batch.runs[i], accepted[i], batch.in_doubt),
                            now));
}

bool ResultWriter::Pause(milliseconds pause) {
  const auto until = std::chrono::steady_clock::now() + pause;
  const sql::MutexLock lock(mutex_);
  while (!stopping_ && stop_.WaitUntil(mutex_, until)) {
  }
  return !stopping_;
}

}  // namespace fluxnetes::queue
