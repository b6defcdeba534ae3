#include "workers/loops/group_jobs.h"

#include <nlohmann/json.hpp>

#include "workers/loops/groups_queries.h"

namespace fluxnetes::workers {
namespace {

using nlohmann::json;

queue::NewJob JobOf(const char* kind, std::string queue, const json& args) {
  queue::NewJob job;
  job.kind = kind;
  job.queue = std::move(queue);
  job.args = args.dump();
  job.max_attempts = queue::kNoLimit;
  return job;
}

std::vector<queue::NewJob> MatchJobs(const std::vector<std::int64_t>& groups,
                                     const std::vector<std::string>& queues,
                                     std::optional<sql::Timestamp> due) {
  std::vector<queue::NewJob> jobs;
  jobs.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    jobs.push_back(
        JobOf("match", MatchQueue(queues[i]), {{"group", groups[i]}}));
    jobs.back().scheduled_at = due;
  }
  return jobs;
}

std::vector<std::int64_t> IdsOf(const std::vector<queue::Inserted>& inserted) {
  std::vector<std::int64_t> ids;
  ids.reserve(inserted.size());
  for (const queue::Inserted& job : inserted) ids.push_back(job.id);
  return ids;
}

}  // namespace

std::string MatchQueue(const std::string& queue) { return "match:" + queue; }

queue::NewJob BindJob(std::int64_t group, std::int32_t revision) {
  return JobOf("bind", kBindQueue, {{"group", group}, {"revision", revision}});
}

queue::NewJob CleanupJob(std::int64_t group) {
  return JobOf("cleanup", kCleanupQueue, {{"group", group}});
}

queue::NewJob CancelJob(std::int64_t group, const std::string& reason) {
  return JobOf("cleanup", kCleanupQueue,
               {{"group", group}, {"cancel", reason}});
}

queue::NewJob CancelFillingJob(const std::string& namespace_name,
                               const std::string& group_name,
                               const std::string& reason) {
  return JobOf("cleanup", kCleanupQueue,
               {{"namespace", namespace_name},
                {"group_name", group_name},
                {"cancel", reason}});
}

queue::NewJob NoticeOf(const std::string& namespace_name,
                       const std::string& pod_name, const std::string& uid,
                       cluster::Time created_at, const std::string& message,
                       const std::string& reason, bool event) {
  queue::NewJob job;
  job.kind = job.queue = kNoticeQueue;
  job.args =
      nlohmann::json{{"namespace", namespace_name},
                     {"pod", pod_name},
                     {"uid", uid},
                     {"since", std::chrono::floor<std::chrono::seconds>(
                                   created_at.time_since_epoch())
                                   .count()},
                     {"reason", reason},
                     {"message", message},
                     {"event", event},
                     {"condition", reason == "FailedScheduling"}}
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return job;
}

std::vector<std::int64_t> InsertMatchJobs(
    sql::Transaction& transaction, queue::WorkQueue& jobs,
    const std::vector<std::int64_t>& groups,
    const std::vector<std::string>& queues, std::optional<sql::Timestamp> due) {
  return IdsOf(jobs.Insert(transaction, MatchJobs(groups, queues, due)));
}

std::vector<std::int64_t> HandMatchJobsOver(
    sql::Transaction& transaction, queue::Handover& handover,
    const std::vector<std::int64_t>& groups,
    const std::vector<std::string>& queues) {
  return IdsOf(
      handover.InsertAsLeader(transaction, MatchJobs(groups, queues, {})));
}

void AskForPlaces(sql::Transaction& transaction, queue::WorkQueue& jobs,
                  const std::vector<std::int64_t>& groups,
                  const std::vector<std::string>& queues,
                  std::optional<sql::Timestamp> due) {
  if (groups.empty()) return;
  transaction.Run(queries::kSetMatchJobs, groups,
                  InsertMatchJobs(transaction, jobs, groups, queues, due));
}

}  // namespace fluxnetes::workers
