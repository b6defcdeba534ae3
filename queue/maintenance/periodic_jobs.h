// Jobs that are inserted again and again by a schedule, as rows of
// `periodic_jobs`: they outlive every process. The maintenance leader
// (maintenance.h) inserts them; each tick gives one job, and of ticks that were
// missed, because nobody ran, the last one is made up for once. A job carries
// the name and the tick in its metadata.
//
// Thread-safe. Throws sql::Error when PostgreSQL fails, std::invalid_argument
// for a schedule or job that cannot be.
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
  NewJob job = {};  // neither with a time of its own, parked nor unique
};

struct PeriodicJobStatus {
  PeriodicJob periodic = {};
  sql::Timestamp next_at = {};
  std::optional<sql::Timestamp> last_at = {};
  std::optional<std::int64_t> last_job = {};
  bool paused = false;
  std::string problem = {};  // what is wrong with the schedule
};

class PeriodicJobs {
 public:
  PeriodicJobs(sql::Pool& pool, WorkQueue& jobs) : pool_(pool), jobs_(jobs) {}

  // Makes those that are not there, changes those that are; others stay. The
  // next tick stays as it is where the schedule does, so every process may say
  // at its start what it needs.
  void Set(std::span<const PeriodicJob> periodic);

  // False: there is none of that name.
  bool Remove(const std::string& name);
  // Ticks that come while it is paused are made up for once when it goes on.
  bool Pause(const std::string& name);
  bool Resume(const std::string& name);

  // In order of their names.
  std::vector<PeriodicJobStatus> List();

  // Inserts the jobs whose tick has come, in one transaction that begins with
  // `fence` (Leadership::Check). Returns how many.
  int RunOnce(const std::function<void(sql::Transaction&)>& fence = {});

 private:
  bool SetPaused(const std::string& name, bool paused);

  sql::Pool& pool_;
  WorkQueue& jobs_;
};

}  // namespace fluxnetes::queue
