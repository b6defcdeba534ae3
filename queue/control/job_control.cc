#include "queue/control/job_control.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "queue/control/control_queries.h"
#include "queue/jobs/job_check.h"
#include "queue/store/jobs_queries.h"
#include "sql/connection/pool.h"

namespace fluxnetes::queue {
namespace {

using Ids = JobControl::Ids;

// The results for some jobs; locks all that exist at the start.
class Answers {
 public:
  Answers(sql::Transaction& transaction, Ids ids)
      : transaction_(transaction), ids_(ids.begin(), ids.end()) {
    for (const sql::Query& lock :
         {queries::kLockJobs, queries::kLockFinishedJobs})
      for (const sql::Row row : transaction.Run(lock, ids_))
        answers_[row.Get<std::int64_t>(0)] = Changed::kNotAllowed;
  }

  // Runs a statement that returns the ids of the jobs that it changed and, as
  // an optional second column, the queues whose workers to notify.
  template <typename... Arguments>
  void Run(Changed answer, const sql::Query& query,
           const Arguments&... arguments) {
    const sql::Result changed = transaction_.Run(query, ids_, arguments...);
    const bool wakes = changed.columns().size() > 1;
    std::set<std::string> queues;
    for (const sql::Row row : changed) {
      answers_[row.Get<std::int64_t>(0)] = answer;
      if (!wakes) continue;
      if (auto queue = row.Find<std::string>(1)) queues.insert(*queue);
    }
    if (!queues.empty())
      transaction_.Run(queries::kAnnounceQueues,
                       std::vector(queues.begin(), queues.end()));
  }

  std::vector<Changed> InOrder() const {
    std::vector<Changed> all;
    for (const std::int64_t id : ids_) {
      const auto found = answers_.find(id);
      all.push_back(found == answers_.end() ? Changed::kUnknown
                                            : found->second);
    }
    return all;
  }

 private:
  sql::Transaction& transaction_;
  const std::vector<std::int64_t> ids_;
  std::map<std::int64_t, Changed> answers_;
};

std::vector<Changed> Change(sql::Transaction& transaction, Ids ids,
                            const sql::Query& query) {
  Answers answers(transaction, ids);
  answers.Run(Changed::kDone, query);
  return answers.InOrder();
}

template <typename Act>
Changed ChangeOne(sql::Pool& pool, std::int64_t id, const char* verb, Act act) {
  sql::Transaction transaction(pool);
  const Changed changed = act(transaction, Ids(&id, 1)).front();
  if (changed == Changed::kUnknown)
    throw JobError(JobError::Code::kUnknownJob,
                   fmt::format("there is no job {}", id));
  if (changed == Changed::kNotAllowed)
    throw JobError(JobError::Code::kState,
                   fmt::format("job {} cannot be {} in its state", id, verb));
  transaction.Commit();
  return changed;
}

}  // namespace

std::vector<Changed> JobControl::Cancel(sql::Transaction& transaction,
                                        Ids ids) {
  Answers answers(transaction, ids);
  answers.Run(Changed::kDone, queries::kCancelWaitingJobs);
  answers.Run(Changed::kAsked, queries::kRequestCancelOfRunningJobs);
  return answers.InOrder();
}

std::vector<Changed> JobControl::RunNow(sql::Transaction& transaction,
                                        Ids ids) {
  return Change(transaction, ids, queries::kRunJobsNow);
}

std::vector<Changed> JobControl::Release(sql::Transaction& transaction,
                                         Ids ids) {
  return Change(transaction, ids, queries::kReleaseParkedJobs);
}

std::vector<Changed> JobControl::RunAgain(sql::Transaction& transaction,
                                          Ids ids) {
  return Change(transaction, ids, queries::kRunJobsAgain);
}

std::vector<Changed> JobControl::Retry(sql::Transaction& transaction, Ids ids) {
  std::vector<Changed> changed = RunAgain(transaction, ids);
  using Step = std::vector<Changed> (*)(sql::Transaction&, Ids);
  for (const Step step :
       {Step(&JobControl::RunNow), Step(&JobControl::Release)}) {
    std::vector<std::int64_t> rest;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (changed[i] != Changed::kDone) rest.push_back(ids[i]);
    const std::vector<Changed> now = step(transaction, rest);
    std::size_t at = 0;
    for (Changed& one : changed)
      if (one != Changed::kDone) one = now[at++];
  }
  return changed;
}

std::vector<Changed> JobControl::Delete(sql::Transaction& transaction,
                                        Ids ids) {
  return Change(transaction, ids, queries::kDeleteJobs);
}

std::vector<Changed> JobControl::Update(sql::Transaction& transaction, Ids ids,
                                        const JobUpdate& update) {
  if (update.priority) CheckPriority(*update.priority);
  if (update.max_attempts) CheckMaxAttempts(*update.max_attempts);
  if (update.args) CheckArgs(*update.args);
  if (update.tags) CheckTags(*update.tags);
  if (update.metadata) CheckMetadata(*update.metadata);
  Answers answers(transaction, ids);
  answers.Run(Changed::kDone, queries::kUpdateJobs, update.priority,
              update.scheduled_at, update.max_attempts, update.args,
              update.tags, update.metadata);
  return answers.InOrder();
}

Changed JobControl::Cancel(std::int64_t id) {
  return ChangeOne(pool_, id, "cancelled", [](auto& transaction, Ids ids) {
    return Cancel(transaction, ids);
  });
}

void JobControl::RunNow(std::int64_t id) {
  ChangeOne(pool_, id, "run now", [](auto& transaction, Ids ids) {
    return RunNow(transaction, ids);
  });
}

void JobControl::Release(std::int64_t id) {
  ChangeOne(pool_, id, "released", [](auto& transaction, Ids ids) {
    return Release(transaction, ids);
  });
}

void JobControl::RunAgain(std::int64_t id) {
  ChangeOne(pool_, id, "run again", [](auto& transaction, Ids ids) {
    return RunAgain(transaction, ids);
  });
}

void JobControl::Delete(std::int64_t id) {
  ChangeOne(pool_, id, "deleted", [](auto& transaction, Ids ids) {
    return Delete(transaction, ids);
  });
}

void JobControl::Update(std::int64_t id, const JobUpdate& update) {
  ChangeOne(pool_, id, "changed", [&](auto& transaction, Ids ids) {
    return Update(transaction, ids, update);
  });
}

}  // namespace fluxnetes::queue
