#include "workers/news/notices.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sql/faults.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::workers {
namespace {

struct Told {
  std::vector<cluster::PodEvent> events;
  std::vector<cluster::PodCondition> conditions;
};

void Read(const queue::Job& job, Told& told) {
  const auto notice = nlohmann::json::parse(job.args);
  const auto text = [&notice](const char* name) {
    return notice.at(name).get<std::string>();
  };
  const std::string reason = text("reason");
  if (notice.value("event", true))
    told.events.push_back({text("namespace"), text("pod"), text("uid"), true,
                           reason, text("message"),
                           /*once=*/true, "notice " + std::to_string(job.id)});
  if (!notice.value("condition", false)) return;
  auto& condition = told.conditions.emplace_back(cluster::PodCondition{
      text("namespace"), text("pod"), text("uid"),
      reason == "FailedScheduling" ? "Unschedulable" : reason,
      text("message")});
  if (notice.contains("since")) {
    condition.since = cluster::Time(
        std::chrono::seconds(notice["since"].get<std::int64_t>()));
  }
}

}  // namespace

Notices::Notices(queue::WorkQueue& jobs, const queue::Client& client,
                 cluster::Cluster& cluster, Options options)
    : jobs_(jobs),
      leased_(jobs, client, kNoticeQueue),
      cluster_(cluster),
      options_(options) {}

bool Notices::RunOnce() {
  const auto jobs = leased_.Lease(options_.batch);
  if (jobs.empty()) return false;
  Told told;
  std::vector<queue::JobResult> results;
  for (const queue::Job& job : jobs) {
    queue::JobResult& result = results.emplace_back();
    result.id = job.id;
    result.attempt = job.attempt;
    try {
      Read(job, told);
    } catch (const nlohmann::json::exception& error) {
      result.outcome = queue::Outcome::kDiscarded;
      result.error = error.what();
    }
  }
  try {
    cluster_.Record(told.events);
    cluster_.SetConditions(told.conditions);
  } catch (const cluster::Unreachable&) {
    for (queue::JobResult& result : results) {
      if (result.outcome != queue::Outcome::kCompleted) continue;
      result.outcome = queue::Outcome::kSnoozed;
      result.delay = options_.retry;
    }
    jobs_.Finish(results);
    leased_.Done();
    throw;
  }
  sql::Failpoint("notices-told");
  jobs_.Finish(results);
  leased_.Done();
  return std::ssize(jobs) == options_.batch;
}

}  // namespace fluxnetes::workers
