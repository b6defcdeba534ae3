// Jobs that are inserted repeatedly by a schedule, as rows of `periodic_jobs`
// that outlive every process. The maintenance leader (maintenance.h) inserts
// them. Each tick gives one job; of the ticks missed while no leader ran, only
// the last is made up for. A job has the name and the tick in its metadata.
//
// Thread-safe. Throws sql::Error when PostgreSQL fails, std::invalid_argument
// for an invalid schedule or job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

struct PeriodicJob {
  std::string name = {};
  std::string schedule = {};  // periodic_schedule.h
  NewJob job = {};            // without scheduled_at, pending or unique
};

struct PeriodicJobStatus {
  PeriodicJob periodic = {};
  sql::Timestamp next_at = {};
  std::optional<sql::Timestamp> last_at = {};
  std::optional<std::int64_t> last_job = {};
  bool paused = false;
  std::string problem = {};  // the error in the schedule; empty: none
};

class PeriodicJobs {
 public:
  PeriodicJobs(sql::Pool& pool, WorkQueue& jobs) : pool_(pool), jobs_(jobs) {}

  // Adds the jobs that do not exist and changes those that do; leaves all
  // others. A job keeps its next tick while its schedule is unchanged, so every
  // process may call this at its start.
  void Set(std::span<const PeriodicJob> periodic);

  // False: there is none of this name.
  bool Remove(const std::string& name);
  // Of the ticks while it is paused, the last is made up for on resumption.
  bool Pause(const std::string& name);
  bool Resume(const std::string& name);

  // Returns all in order of name.
  std::vector<PeriodicJobStatus> List();

  // Inserts the jobs whose tick has come, in one transaction that begins with
  // `fence` (Leadership::Check). Returns their number.
  int RunOnce(const std::function<void(sql::Transaction&)>& fence = {});

 private:
  bool SetPaused(const std::string& name, bool paused);

  sql::Pool& pool_;
  WorkQueue& jobs_;
};

}  // namespace fluxnetes::queue
