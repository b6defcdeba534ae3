// A job that runs in this process: what its worker is given, and by which it
// says how the job ended. A running job is no thread: a copy may be kept, given
// to another thread and finished there, much later.
//
//   job.Complete() | Fail() | Snooze() | Cancel() | Discard()    once
//
// The first of these that is called counts; each returns whether it was the
// one. When the last copy goes without any, the job fails, or ends as its stop
// reason says. stop_token() is how the job is asked to end early; a worker that
// does not listen is abandoned: its slot is given to another job, and what it
// says later is ignored.
//
// Copies are cheap. Thread-safe.
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

// Why a running job is asked to end early, and what becomes of it if its worker
// then ends without a result (throws, or lets go of it).
enum class StopReason {
  kNone,
  kAsked,     // WorkQueue::Cancel: it is cancelled
  kTimedOut,  // it fails
  kStopping,  // the runner stops: it is given back, no attempt is burnt
  kLost       // its lease was lost: another has it or will, nothing is recorded
};

// The result was refused: the job runs in another attempt by now or has ended.
class LeaseLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RunningJobs;
struct Run;

class RunningJob {
 public:
  // By the runner.
  RunningJob(std::shared_ptr<RunningJobs> all, std::shared_ptr<Run> run);

  const Job& job() const;
  const std::string& args() const { return job().args; }

  // Asked to end early; the reason is set before the token is.
  std::stop_token stop_token() const;
  bool StopRequested() const { return stop_token().stop_requested(); }
  StopReason stop_reason() const;

  // A JSON object that is merged into the job's metadata with its result.
  void SetMetadata(std::string object);

  bool Complete();
  // It comes back after a back-off, or is discarded at its last attempt.
  bool Fail(std::string error, std::string trace = {});
  // It comes back after `delay`; no attempt is burnt.
  bool Snooze(std::chrono::milliseconds delay);
  bool Cancel();
  bool Discard(std::string error);

  // Completes it in the worker's own transaction: it is done exactly if that
  // commits, which must happen before the worker returns or lets go of the job.
  // Otherwise it fails. Throws LeaseLost, sql::Error.
  void CompleteIn(sql::Transaction& transaction);

 private:
  struct Hold;
  bool End(Outcome outcome, std::string error = {},
           std::optional<std::chrono::milliseconds> delay = {},
           std::string trace = {});

  std::shared_ptr<Hold> hold_;  // shared: the last copy's end is the job's
};

}  // namespace fluxnetes::queue
