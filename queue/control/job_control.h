// Actions on existing jobs: cancel them, run them now, release parked ones, run
// finished ones again, delete and change them.
//
//                available scheduled retryable pending running finished
//   Cancel          yes       yes       yes      yes    asks      -
//   RunNow          yes       yes       yes       -      -        -
//   Release          -         -         -       yes     -        -
//   RunAgain         -         -         -        -      -       yes
//   Delete          yes       yes       yes      yes     -       yes
//   Update          yes       yes       yes      yes     -        -
//
// Functions for one job throw JobError: kUnknownJob, kState where the table has
// no "yes", and for arguments of Update() that an insert would refuse.
// Functions for many jobs return one result per job. All take part in the
// caller's transaction and lock the jobs until it ends.
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
  kAsked,       // its client will stop it (Client::OnCancelRequest)
  kNotAllowed,  // by the job's state
  kUnknown,     // no such job
};

// Fields to change; an empty field is left as it is.
struct JobUpdate {
  std::optional<int> priority = {};
  std::optional<sql::Timestamp> scheduled_at = {};
  // At least one more than the attempts already made.
  std::optional<int> max_attempts = {};
  std::optional<std::string> args = {};
  std::optional<std::vector<std::string>> tags = {};
  std::optional<std::string> metadata = {};  // replaces the old
};

class JobControl {
 public:
  using Ids = std::span<const std::int64_t>;

  // All return one result per job, in the order of the ids.
  static std::vector<Changed> Cancel(sql::Transaction& transaction, Ids ids);
  static std::vector<Changed> RunNow(sql::Transaction& transaction, Ids ids);
  static std::vector<Changed> Release(sql::Transaction& transaction, Ids ids);
  // Adds one attempt if all were used up.
  static std::vector<Changed> RunAgain(sql::Transaction& transaction, Ids ids);
  // Runs ended jobs again, lets waiting ones run now, and releases parked ones.
  static std::vector<Changed> Retry(sql::Transaction& transaction, Ids ids);
  static std::vector<Changed> Delete(sql::Transaction& transaction, Ids ids);
  // A job whose new time has come becomes available at once; one whose new time
  // is in the future becomes scheduled.
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
