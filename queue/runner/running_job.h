// A job that runs in this process: the argument of its worker, through which
// the worker reports how the job ended. A running job is not bound to a thread:
// a copy may be kept, passed to another thread and finished there much later.
//
//   job.Complete() | Fail() | Snooze() | Cancel() | Discard()    once
//
// Only the first of these calls counts; each returns whether it was the first.
// If the last copy is destroyed without any, the job fails, or ends as its stop
// reason defines. stop_token() asks the job to end early; a worker that ignores
// it is abandoned: its slot goes to another job, and its later result is
// ignored.
//
// Copies are cheap. Thread-safe.
// Tests: tests/queue/runner/runner_pgtest.cc.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "queue/jobs/job.h"

namespace fluxnetes::sql {
class Transaction;
}

namespace fluxnetes::queue {

// Why a running job is asked to end early, and its result if its worker then
// ends without one (throws, or drops the last copy).
enum class StopReason {
  kNone,
  kAsked,     // WorkQueue::Cancel: the job is cancelled
  kTimedOut,  // the job fails
  kStopping,  // the runner stops: the job is given back, no attempt is used up
  kLost       // the lease was lost to another client: nothing is recorded
};

// The result was refused: the job is in another attempt by now or has ended.
class LeaseLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RunningJobs;
struct Run;

class RunningJob {
 public:
  // Called by the runner.
  RunningJob(std::shared_ptr<RunningJobs> all, std::shared_ptr<Run> run);

  const Job& job() const;
  const std::string& args() const { return job().args; }

  // Set when the job is asked to end early; the reason is set before the token.
  std::stop_token stop_token() const;
  bool StopRequested() const { return stop_token().stop_requested(); }
  StopReason stop_reason() const;

  // Sets a JSON object that is merged into the job's metadata with the result.
  void SetMetadata(std::string object);

  bool Complete();
  // The job is retried after a backoff, or discarded at its last attempt.
  bool Fail(std::string error, std::string trace = {});
  // The job runs again after `delay`; no attempt is used up.
  bool Snooze(std::chrono::milliseconds delay);
  bool Cancel();
  bool Discard(std::string error);

  // Completes the job in the worker's own transaction: it is done exactly if
  // that commits, which must happen before the worker returns or drops the job.
  // Otherwise the job fails. Throws LeaseLost, sql::Error.
  void CompleteIn(sql::Transaction& transaction);

 private:
  struct Hold;
  bool End(Outcome outcome, std::string error = {},
           std::optional<std::chrono::milliseconds> delay = {},
           std::string trace = {});

  std::shared_ptr<Hold> hold_;  // shared: the job ends with the last copy
};

}  // namespace fluxnetes::queue
