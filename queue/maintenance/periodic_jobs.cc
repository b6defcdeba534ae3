#include "queue/maintenance/periodic_jobs.h"

#include <stdexcept>

#include "queue/jobs/job_check.h"
#include "queue/maintenance/periodic_queries.h"
#include "queue/maintenance/periodic_schedule.h"

namespace fluxnetes::queue {
namespace {

// Jobs inserted in one transaction.
constexpr int kPeriodicBatch = 100;

NewJob PeriodicJobFrom(const sql::Row& row) {
  NewJob job;
  job.kind = row.Get<std::string>("kind");
  job.queue = row.Get<std::string>("queue");
  job.args = row.Get<std::string>("args");
  job.priority = row.Get<int>("priority");
  job.max_attempts = row.Get<int>("max_attempts");
  job.tags = row.Get<std::vector<std::string>>("tags");
  job.metadata = row.Get<std::string>("metadata");
  return job;
}

PeriodicJobStatus StatusFrom(const sql::Row& row) {
  return {.periodic = {.name = row.Get<std::string>("name"),
                       .schedule = row.Get<std::string>("schedule"),
                       .job = PeriodicJobFrom(row)},
          .next_at = row.Get<sql::Timestamp>("next_at"),
          .last_at = row.Find<sql::Timestamp>("last_at"),
          .last_job = row.Find<std::int64_t>("last_job_id"),
          .paused = row.Find<sql::Timestamp>("paused_at").has_value(),
          .problem = row.Find<std::string>("problem").value_or("")};
}

}  // namespace

void PeriodicJobs::Set(std::span<const PeriodicJob> periodic) {
  sql::Transaction transaction(pool_);
  const auto now =
      transaction.Run(queries::kPeriodicTime)[0].Get<sql::Timestamp>("time");
  for (const PeriodicJob& one : periodic) {
    const NewJob& job = one.job;
    CheckJob(job);
    if (one.name.empty())
      throw std::invalid_argument("a periodic job needs a name");
    if (job.scheduled_at || job.pending || job.unique)
      throw std::invalid_argument(
          "a periodic job has its time from its schedule, and is neither "
          "parked nor unique");
    transaction.Run(queries::kSetPeriodicJob, one.name, one.schedule, job.kind,
                    job.queue, job.priority, job.max_attempts, job.args,
                    job.tags, job.metadata,
                    PeriodicSchedule(one.schedule).Next(now));
  }
  transaction.Commit();
}

bool PeriodicJobs::Remove(const std::string& name) {
  return sql::RunAlone(pool_, queries::kRemovePeriodicJob, name).affected() > 0;
}

bool PeriodicJobs::Pause(const std::string& name) {
  return SetPaused(name, true);
}

bool PeriodicJobs::Resume(const std::string& name) {
  return SetPaused(name, false);
}

bool PeriodicJobs::SetPaused(const std::string& name, bool paused) {
  return sql::RunAlone(pool_, queries::kPausePeriodicJob, name, paused)
             .affected() > 0;
}

std::vector<PeriodicJobStatus> PeriodicJobs::List() {
  std::vector<PeriodicJobStatus> all;
  for (const sql::Row row : sql::RunAlone(pool_, queries::kListPeriodicJobs))
    all.push_back(StatusFrom(row));
  return all;
}

int PeriodicJobs::RunOnce(const std::function<void(sql::Transaction&)>& fence) {
  sql::Transaction transaction(pool_);
  if (fence) fence(transaction);
  std::vector<std::string> names;
  std::vector<sql::Timestamp> next;
  std::vector<NewJob> due;
  for (const sql::Row row :
       transaction.Run(queries::kDuePeriodicJobs, kPeriodicBatch)) {
    const auto name = row.Get<std::string>("name");
    try {
      next.push_back(PeriodicSchedule(row.Get<std::string>("schedule"))
                         .Next(row.Get<sql::Timestamp>("time")));
    } catch (const std::invalid_argument& error) {
      transaction.Run(queries::kSetPeriodicProblem, name, error.what());
      continue;
    }
    names.push_back(name);
    due.push_back(PeriodicJobFrom(row));
  }
  if (!due.empty()) {
    std::vector<std::int64_t> ids;
    for (const Inserted& one : jobs_.Insert(transaction, due))
      ids.push_back(one.id);
    transaction.Run(queries::kRecordTicks, names, ids, next);
  }
  transaction.Commit();
  return static_cast<int>(due.size());
}

}  // namespace fluxnetes::queue
