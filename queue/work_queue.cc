#include "queue/work_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "queue/announcer.h"
#include "queue/queries.h"

namespace fluxnetes::queue {
namespace {

// How many rows one statement of the housekeeping changes.
constexpr int kBatch = 1'000;

void CheckObject(const std::string& text, const char* what) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{' || !nlohmann::json::accept(text))
    throw std::invalid_argument(
        fmt::format("a job's {} must be a JSON object", what));
}

void Check(const NewJob& job) {
  if (job.kind.empty() || job.queue.empty())
    throw std::invalid_argument("a job needs a kind and a queue");
  if (job.priority < 1 || job.priority > 4)
    throw std::invalid_argument(fmt::format(
        "a job's priority is 1 (first) to 4, not {}", job.priority));
  if (job.max_attempts < 1)
    throw std::invalid_argument(fmt::format(
        "a job needs at least one attempt, not {}", job.max_attempts));
  CheckObject(job.args, "args");
  if (job.metadata != "{}") CheckObject(job.metadata, "metadata");
}

bool IsPlain(const NewJob& job) {
  return !job.scheduled_at && job.tags.empty() && job.metadata == "{}";
}

// One member of every job, as an array.
template <typename Member>
auto Column(std::span<const NewJob> jobs, Member member) {
  std::vector<std::decay_t<decltype(jobs.front().*member)>> column;
  column.reserve(jobs.size());
  for (const NewJob& job : jobs) column.push_back(job.*member);
  return column;
}

std::string TagLiteral(const NewJob& job) {
  return *sql::Parameter(job.tags).text();
}

std::vector<std::string> QueuesOf(std::span<const NewJob> jobs) {
  std::set<std::string> queues;
  for (const NewJob& job : jobs) queues.insert(job.queue);
  return {queues.begin(), queues.end()};
}

sql::Result RunInsert(sql::Transaction& transaction,
                      std::span<const NewJob> jobs,
                      const std::vector<std::string>& told) {
  const auto kinds = Column(jobs, &NewJob::kind);
  const auto queues = Column(jobs, &NewJob::queue);
  const auto priorities = Column(jobs, &NewJob::priority);
  const auto attempts = Column(jobs, &NewJob::max_attempts);
  const auto args = Column(jobs, &NewJob::args);
  if (std::ranges::all_of(jobs, IsPlain))
    return transaction.Run(queries::kInsertPlainJobs, kinds, queues, priorities,
                           attempts, args, told);
  std::vector<std::string> tags;
  for (const NewJob& job : jobs) tags.push_back(TagLiteral(job));
  return transaction.Run(queries::kInsertJobs, kinds, queues, priorities,
                         attempts, Column(jobs, &NewJob::scheduled_at), args,
                         tags, Column(jobs, &NewJob::metadata), told);
}

Job JobFrom(const sql::Row& row) {
  return {.id = row.Get<std::int64_t>(0),
          .kind = row.Get<std::string>(1),
          .queue = row.Get<std::string>(2),
          .args = row.Get<std::string>(3),
          .priority = row.Get<int>(4),
          .attempt = row.Get<int>(5),
          .max_attempts = row.Get<int>(6),
          .created_at = row.Get<sql::Timestamp>(7),
          .scheduled_at = row.Get<sql::Timestamp>(8)};
}

std::vector<Job> JobsInOrder(const sql::Result& leased) {
  std::vector<Job> jobs;
  jobs.reserve(leased.size());
  for (const sql::Row row : leased) jobs.push_back(JobFrom(row));
  std::ranges::sort(jobs, {}, [](const Job& job) {
    return std::tuple(job.priority, job.scheduled_at, job.id);
  });
  return jobs;
}

const char* FinalState(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kDiscarded:
      return "discarded";
    case Outcome::kFailed:
    case Outcome::kSnoozed:
      break;
  }
  throw std::logic_error("this outcome ends no job");
}

using Leases = std::set<std::pair<std::int64_t, int>>;

void AddAccepted(const sql::Result& result, Leases& accepted) {
  for (const sql::Row row : result)
    accepted.insert({row.Get<std::int64_t>(0), row.Get<int>(1)});
}

// The results that end a job, and then the others, as arrays.
void RunFinish(sql::Transaction& transaction,
               std::span<const JobResult> results, Leases& accepted) {
  std::vector<std::int64_t> ids;
  std::vector<int> attempts;
  std::vector<std::string> states;
  std::vector<std::string> errors;
  for (const JobResult& result : results) {
    if (result.outcome == Outcome::kFailed ||
        result.outcome == Outcome::kSnoozed)
      continue;
    ids.push_back(result.id);
    attempts.push_back(result.attempt);
    states.emplace_back(FinalState(result.outcome));
    errors.push_back(result.error);
  }
  if (ids.empty()) return;
  AddAccepted(
      transaction.Run(queries::kFinishJobs, ids, attempts, states, errors),
      accepted);
}

void RunPostpone(sql::Transaction& transaction,
                 std::span<const JobResult> results, Leases& accepted) {
  std::vector<std::int64_t> ids;
  std::vector<int> attempts;
  std::vector<bool> failed;
  std::vector<std::string> errors;
  std::vector<std::string> delays;
  for (const JobResult& result : results) {
    const bool has_failed = result.outcome == Outcome::kFailed;
    if (!has_failed && result.outcome != Outcome::kSnoozed) continue;
    ids.push_back(result.id);
    attempts.push_back(result.attempt);
    failed.push_back(has_failed);
    errors.push_back(result.error);
    delays.push_back(fmt::format("{} milliseconds", result.delay.count()));
  }
  if (ids.empty()) return;
  AddAccepted(transaction.Run(queries::kPostponeJobs, ids, attempts, failed,
                              errors, delays),
              accepted);
}

}  // namespace

std::span<const sql::Query> Catalogue() { return queries::kAll; }

WorkQueue::WorkQueue(sql::Pool& pool, Announcer* announcer)
    : pool_(pool), announcer_(announcer) {}

std::vector<std::int64_t> WorkQueue::Insert(sql::Transaction& transaction,
                                            std::span<const NewJob> jobs,
                                            bool announce) {
  if (jobs.empty()) return {};
  std::ranges::for_each(jobs, Check);
  std::vector<std::string> told;
  if (announce) told = QueuesOf(jobs);
  std::vector<std::int64_t> ids;
  ids.reserve(jobs.size());
  for (const sql::Row row : RunInsert(transaction, jobs, told))
    if (const auto id = row.Find<std::int64_t>(0)) ids.push_back(*id);
  return ids;
}

std::vector<std::int64_t> WorkQueue::Insert(std::span<const NewJob> jobs) {
  sql::Transaction transaction(pool_);
  std::vector<std::int64_t> ids =
      Insert(transaction, jobs, announcer_ == nullptr);
  transaction.Commit();
  if (announcer_ != nullptr)
    for (const std::string& queue : QueuesOf(jobs)) announcer_->Announce(queue);
  return ids;
}

void WorkQueue::InsertCopy(sql::Transaction& transaction,
                           std::span<const NewJob> jobs) {
  if (jobs.empty()) return;
  std::ranges::for_each(jobs, Check);
  const auto now =
      transaction.Run(queries::kTransactionTime)[0].Get<sql::Timestamp>(0);
  std::vector<std::vector<sql::Parameter>> rows;
  rows.reserve(jobs.size());
  for (const NewJob& job : jobs) {
    const sql::Timestamp due = job.scheduled_at.value_or(now);
    rows.push_back({job.kind, job.queue, job.priority, job.max_attempts,
                    due > now ? "scheduled" : "available", due, job.args,
                    job.tags, job.metadata});
  }
  transaction.Copy("jobs",
                   {"kind", "queue", "priority", "max_attempts", "state",
                    "scheduled_at", "args", "tags", "metadata"},
                   rows);
  transaction.Run(queries::kAnnounceQueues, QueuesOf(jobs));
}

std::vector<Job> WorkQueue::Lease(const std::string& queue, std::int64_t client,
                                  int limit) {
  WithdrawDoubtful();
  try {
    return JobsInOrder(
        sql::RunAlone(pool_, queries::kLeaseJobs, queue, client, limit));
  } catch (const sql::Error& error) {
    if (!error.InDoubt()) throw;
    const std::lock_guard lock(mutex_);
    doubtful_.push_back(client);
    throw;
  }
}

std::vector<Job> WorkQueue::Lease(sql::Transaction& transaction,
                                  const std::string& queue, std::int64_t client,
                                  int limit) {
  return JobsInOrder(
      transaction.Run(queries::kLeaseJobs, queue, client, limit));
}

void WorkQueue::WithdrawDoubtful() {
  const std::lock_guard lock(mutex_);
  if (doubtful_.empty()) return;
  sql::RunAlone(pool_, queries::kWithdrawClients, doubtful_);
  doubtful_.clear();
}

std::vector<bool> WorkQueue::Finish(sql::Transaction& transaction,
                                    std::span<const JobResult> results) {
  Leases accepted;
  RunFinish(transaction, results, accepted);
  RunPostpone(transaction, results, accepted);
  std::vector<bool> answers;
  for (const JobResult& result : results)
    answers.push_back(accepted.erase({result.id, result.attempt}) == 1);
  return answers;
}

std::vector<bool> WorkQueue::Finish(std::span<const JobResult> results) {
  sql::Transaction transaction(pool_);
  std::vector<bool> accepted = Finish(transaction, results);
  transaction.Commit();
  return accepted;
}

std::vector<bool> WorkQueue::Cancel(sql::Transaction& transaction,
                                    std::span<const std::int64_t> ids) {
  const std::vector<std::int64_t> asked(ids.begin(), ids.end());
  std::set<std::int64_t> done;
  transaction.Run(queries::kLockJobs, asked);
  for (const sql::Query& query :
       {queries::kCancelWaitingJobs, queries::kRequestCancelOfRunningJobs})
    for (const sql::Row row : transaction.Run(query, asked))
      done.insert(row.Get<std::int64_t>(0));
  std::vector<bool> answers;
  for (const std::int64_t id : ids) answers.push_back(done.contains(id));
  return answers;
}

void WorkQueue::Pause(const std::string& queue) {
  sql::RunAlone(pool_, queries::kPauseQueue, queue);
}

void WorkQueue::Resume(const std::string& queue) {
  sql::RunAlone(pool_, queries::kResumeQueue, queue);
}

int WorkQueue::MakeDueAvailable() {
  int total = 0;
  for (int batch = kBatch; batch == kBatch; total += batch) {
    batch = 0;
    for (const sql::Row row :
         sql::RunAlone(pool_, queries::kMakeDueAvailable, kBatch))
      batch += row.Get<int>("jobs");
  }
  return total;
}

int WorkQueue::Rescue() {
  sql::RunAlone(pool_, queries::kForgetDeadClients);
  int total = 0;
  for (int batch = kBatch; batch == kBatch; total += batch) {
    sql::Transaction transaction(pool_);
    std::vector<std::string> queues;
    batch = 0;
    for (const sql::Row row : transaction.Run(queries::kRescueJobs, kBatch)) {
      batch += row.Get<int>("jobs");
      if (const auto queue = row.Find<std::string>("queue"))
        queues.push_back(*queue);
    }
    if (!queues.empty()) transaction.Run(queries::kAnnounceQueues, queues);
    transaction.Commit();
  }
  return total;
}

}  // namespace fluxnetes::queue
