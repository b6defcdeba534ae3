#include "queue/store/insertion.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "queue/jobs/job_check.h"
#include "queue/store/job_row.h"
#include "queue/store/jobs_queries.h"
#include "queue/store/unique_jobs.h"
#include "sql/values/array.h"
#include "sql/values/copy_row.h"

namespace fluxnetes::queue {
namespace {

bool IsPlain(const NewJob& job) {
  return !job.scheduled_at && job.tags.empty() && job.metadata == "{}" &&
         !job.pending;
}

bool IsUnique(const NewJob& job) { return job.unique.has_value(); }

using sql::Array;
using enum sql::Array::Type;

// One member of every job, as an array parameter.
template <typename Member>
sql::Parameter Column(Array::Type type, std::span<const NewJob> jobs,
                      Member member) {
  Array column(type, jobs.size());
  for (const NewJob& job : jobs) column.Add(job.*member);
  return column.Take();
}

sql::Parameter TagColumn(std::span<const NewJob> jobs) {
  Array column(Array::Type::kText, jobs.size());
  for (const NewJob& job : jobs) column.Add(*sql::Parameter(job.tags).text());
  return column.Take();
}

// `run` executes a query with its arguments.
template <typename Run>
sql::Result RunInsert(Run run, std::span<const NewJob> jobs,
                      const std::vector<std::string>& told) {
  const auto kinds = Column(kText, jobs, &NewJob::kind);
  const auto queues = Column(kText, jobs, &NewJob::queue);
  const auto priorities = Column(kSmallint, jobs, &NewJob::priority);
  const auto attempts = Column(kInteger, jobs, &NewJob::max_attempts);
  const auto args = Column(kJsonb, jobs, &NewJob::args);
  if (std::ranges::all_of(jobs, IsPlain))
    return run(queries::kInsertPlainJobs, kinds, queues, priorities, attempts,
               args, told);
  return run(queries::kInsertJobs, kinds, queues, priorities, attempts,
             Column(kTimestamptz, jobs, &NewJob::scheduled_at), args,
             TagColumn(jobs), Column(kJsonb, jobs, &NewJob::metadata),
             Column(kBoolean, jobs, &NewJob::pending), told);
}

template <typename Run>
std::vector<Inserted> InsertAll(Run run, std::span<const NewJob> jobs,
                                bool announce) {
  std::vector<std::string> told;
  if (announce) told = QueuesOf(jobs);
  std::vector<Inserted> inserted;
  inserted.reserve(jobs.size());
  for (const sql::Row row : RunInsert(run, jobs, told))
    if (const auto id = row.Find<std::int64_t>(0)) inserted.push_back({*id});
  return inserted;
}

}  // namespace

std::vector<std::string> QueuesOf(std::span<const NewJob> jobs) {
  std::set<std::string> queues;
  for (const NewJob& job : jobs)
    if (queues.empty() || job.queue != *queues.begin())
      queues.insert(job.queue);
  return {queues.begin(), queues.end()};
}

std::vector<Inserted> InsertJobs(sql::Transaction& transaction,
                                 std::span<const NewJob> jobs, bool announce) {
  if (jobs.empty()) return {};
  std::ranges::for_each(jobs, CheckJob);
  const auto run = [&](const auto&... arguments) {
    return transaction.Run(arguments...);
  };
  if (std::ranges::none_of(jobs, IsUnique))
    return InsertAll(run, jobs, announce);

  UniqueJobs unique(transaction, jobs);
  std::vector<NewJob> fresh;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (unique.IsFirst(i)) fresh.push_back(jobs[i]);
  if (fresh.empty()) return unique.Finish({});
  return unique.Finish(InsertAll(run, fresh, announce));
}

std::vector<Inserted> InsertJobsAlone(sql::Pool& pool,
                                      std::span<const NewJob> jobs,
                                      bool announce) {
  if (jobs.empty()) return {};
  if (std::ranges::none_of(jobs, IsUnique)) {
    std::ranges::for_each(jobs, CheckJob);
    const auto run = [&](const auto&... arguments) {
      return sql::RunAlone(pool, arguments...);
    };
    return InsertAll(run, jobs, announce);
  }
  sql::Transaction transaction(pool);
  std::vector<Inserted> inserted = InsertJobs(transaction, jobs, announce);
  transaction.Commit();
  return inserted;
}

std::vector<Job> InsertLeasedJobs(sql::Transaction& transaction,
                                  std::span<const NewJob> jobs,
                                  const LeaseOfNew& lease) {
  if (jobs.empty()) return {};
  for (const NewJob& job : jobs) {
    CheckJob(job);
    if (!IsPlain(job) || IsUnique(job))
      throw JobError(JobError::Code::kState,
                     "a job that is leased at once has no time, tags, metadata "
                     "or uniqueness, and is not parked");
  }
  std::vector<Job> inserted;
  inserted.reserve(jobs.size());
  for (const sql::Row row : transaction.Run(
           queries::kInsertLeasedJobs, Column(kText, jobs, &NewJob::kind),
           Column(kText, jobs, &NewJob::queue),
           Column(kSmallint, jobs, &NewJob::priority),
           Column(kInteger, jobs, &NewJob::max_attempts),
           Column(kJsonb, jobs, &NewJob::args), lease.client, lease.limit,
           lease.as_leader))
    inserted.push_back(JobFrom(row));
  return inserted;
}

void CopyJobs(sql::Transaction& transaction, std::span<const NewJob> jobs) {
  if (jobs.empty()) return;
  std::ranges::for_each(jobs, CheckJob);
  if (std::ranges::any_of(
          jobs, [](const NewJob& job) { return job.unique.has_value(); }))
    throw JobError(JobError::Code::kUnique, "COPY inserts no unique jobs");
  const auto now =
      transaction.Run(queries::kCopyTime)[0].Get<sql::Timestamp>(0);
  std::map<std::string, sql::Timestamp> rewound;
  transaction.Copy(
      "jobs",
      {"kind", "queue", "priority", "max_attempts", "state", "created_at",
       "scheduled_at", "args", "tags", "metadata"},
      jobs.size(), [&](std::size_t i, sql::CopyRow& row) {
        const NewJob& job = jobs[i];
        const sql::Timestamp due = job.scheduled_at.value_or(now);
        row.Text(job.kind);
        row.Text(job.queue);
        row.Integer(job.priority, 2);
        row.Integer(job.max_attempts, 4);
        row.Text(job.pending ? "pending"
                 : due > now ? "scheduled"
                             : "available");
        row.Time(now);
        row.Time(due);
        row.Jsonb(job.args);
        row.Texts(job.tags);
        row.Jsonb(job.metadata);
        if (due >= now || job.pending) return;
        const auto [earliest, is_new] = rewound.insert({job.queue, due});
        if (!is_new) earliest->second = std::min(earliest->second, due);
      });
  if (!rewound.empty()) {
    std::vector<std::string> queues;
    std::vector<sql::Timestamp> times;
    for (const auto& [queue, time] : rewound) {
      queues.push_back(queue);
      times.push_back(time);
    }
    transaction.Run(queries::kRewindQueues, queues, times);
  }
  transaction.Run(queries::kAnnounceQueues, QueuesOf(jobs));
}

}  // namespace fluxnetes::queue
