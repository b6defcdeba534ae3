// What people and programs do to jobs that are there: cancel them, run them
// now, release parked ones, run finished ones again, delete and change them.
//
//                available scheduled retryable pending running finished
//   Cancel          yes       yes       yes      yes    asks      -
//   RunNow          yes       yes       yes       -      -        -
//   Release          -         -         -       yes     -        -
//   RunAgain         -         -         -        -      -       yes
//   Delete          yes       yes       yes      yes     -       yes
//   Update          yes       yes       yes      yes     -        -
//
// Those of one job throw JobError: kUnknownJob, kState where the table has no
// "yes", and what Update() is given is checked as for an insert. Those of many
// say it for each. All take part in the caller's transaction and hold the jobs
// as they are until it ends.
//
// Thread-safe. Throws sql::Error when PostgreSQL fails.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

enum class Changed {
  kDone,
  kAsked,       // its client is told to stop it (Client::OnCancelRequest)
  kNotAllowed,  // by the state that it is in
  kUnknown,     // there is no such job
};

// What is to be another way; nothing stays as it is.
struct JobUpdate {
  std::optional<int> priority = {};
  std::optional<sql::Timestamp> scheduled_at = {};
  // At least one more than it had.
  std::optional<int> max_attempts = {};
  std::optional<std::string> args = {};
  std::optional<std::vector<std::string>> tags = {};
  std::optional<std::string> metadata = {};  // instead of what it had
};

class JobControl {
 public:
  using Ids = std::span<const std::int64_t>;

  // For each job, in their order.
  static std::vector<Changed> Cancel(sql::Transaction& transaction, Ids ids);
  static std::vector<Changed> RunNow(sql::Transaction& transaction, Ids ids);
  static std::vector<Changed> Release(sql::Transaction& transaction, Ids ids);
  // With one more attempt if it had used all of them.
  static std::vector<Changed> RunAgain(sql::Transaction& transaction, Ids ids);
  static std::vector<Changed> Delete(sql::Transaction& transaction, Ids ids);
  // A job that becomes due by its new time is available at once, and one that
  // is due no longer is scheduled.
  static std::vector<Changed> Update(sql::Transaction& transaction, Ids ids,
                                     const JobUpdate& update);

  // One job, in a transaction of its own.
  explicit JobControl(sql::Pool& pool) : pool_(pool) {}
  Changed Cancel(std::int64_t id);  // kDone or kAsked
  void RunNow(std::int64_t id);
  void Release(std::int64_t id);
  void RunAgain(std::int64_t id);
  void Delete(std::int64_t id);
  void Update(std::int64_t id, const JobUpdate& update);

 private:
  sql::Pool& pool_;
};

}  // namespace fluxnetes::queue
