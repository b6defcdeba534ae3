#include "workers/intake/intake_groups.h"

#include <iterator>

#include "workers/intake/members_queries.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::workers {

struct GroupChanges::Standing {
  std::int64_t id = 0;
  std::string state;
  std::string phase;
  bool cancelled = false;
  std::int64_t waiting = 0;
  std::int64_t started = 0;  // ever bound
  std::int64_t lost = 0;     // failed or deleted, without a replacement
};

GroupChanges::GroupChanges(sql::Transaction& transaction,
                           queue::WorkQueue& jobs, cluster::Time now)
    : transaction_(transaction), queue_(jobs), now_(now) {}

std::vector<GroupChanges::Standing> GroupChanges::Read(
    const std::vector<std::int64_t>& groups) {
  std::vector<Standing> read;
  for (const sql::Row row : transaction_.Run(queries::kReadStanding, groups)) {
    read.push_back({row.Get<std::int64_t>("id"), row.Get<std::string>("state"),
                    row.Get<std::string>("phase"), row.Get<bool>("cancelled"),
                    row.Get<std::int64_t>("waiting"),
                    row.Get<std::int64_t>("started"),
                    row.Get<std::int64_t>("lost")});
  }
  return read;
}

std::vector<DissolvedPod> GroupChanges::Settle(
    const std::set<std::int64_t>& touched, const std::set<std::int64_t>& left) {
  std::set<std::int64_t> groups = touched;
  groups.insert(left.begin(), left.end());
  if (groups.empty()) return {};
  for (const Standing& group : Read({groups.begin(), groups.end()})) {
    if (!group.cancelled && group.phase != "recalled")
      Decide(group, left.contains(group.id));
  }
  return Write();
}

void GroupChanges::Decide(const Standing& group, bool left) {
  const bool waits = group.waiting > 0;
  if (group.started == 0) {
    if (!waits) {
      abandon_.push_back(group.id);
    } else if (group.lost > 0 || left) {
      (group.state == "allocated" ? recall_ : dissolve_).push_back(group.id);
    }
  } else if (!waits && group.state != "bound") {
    start_.push_back(group.id);
    if (group.state != "allocated") news_.insert(group.id);
  } else if (waits && group.state != "allocated" && group.state != "bound") {
    requeue_.push_back(group.id);
  }
}

std::vector<DissolvedPod> GroupChanges::Write() {
  if (!recall_.empty()) {
    transaction_.Run(queries::kRecallGroups, recall_);
    recalled_ = true;
  }
  if (!start_.empty()) transaction_.Run(queries::kStartGroups, start_, now_);
  if (!abandon_.empty()) {
    transaction_.Run(queries::kAbandonGroups, abandon_);
    news_.insert(abandon_.begin(), abandon_.end());
    clean_.insert(abandon_.begin(), abandon_.end());
  }
  Requeue(requeue_);
  std::vector<DissolvedPod> waiting;
  if (!dissolve_.empty()) {
    for (const sql::Row row :
         transaction_.Run(queries::kDissolveGroups, dissolve_))
      waiting.push_back({row.Get<std::string>("uid"),
                         row.Get<std::string>("namespace"),
                         row.Get<std::string>("group_name"),
                         row.Find<std::string>("held_alone")});
    news_.insert(dissolve_.begin(), dissolve_.end());
    for (const std::int64_t group : dissolve_) clean_.erase(group);
  }
  return waiting;
}

std::vector<DissolvedPod> GroupChanges::SettleRecalled(std::int64_t group) {
  const std::vector<Standing> read = Read({group});
  if (read.empty() || read.front().phase != "recalled") return {};
  const Standing& standing = read.front();
  if (standing.cancelled) {
    transaction_.Run(queries::kEndRecalls, std::vector{group});
    clean_.insert(group);
    return {};
  }
  if (standing.started == 0) {
    (standing.waiting > 0 ? dissolve_ : abandon_).push_back(group);
    return Write();
  }
  transaction_.Run(queries::kResumeRecalledGroups, std::vector{group});
  clean_.insert(group);
  if (standing.waiting == 0) {
    start_.push_back(group);
    return Write();
  }
  Rebind({group});
  return {};
}

void GroupChanges::Requeue(const std::vector<std::int64_t>& groups) {
  if (groups.empty()) return;
  std::vector<std::int64_t> unmatched;
  std::vector<std::string> queues;
  for (const sql::Row row :
       transaction_.Run(queries::kRequeueGroups, groups, now_)) {
    news_.insert(row.Get<std::int64_t>("id"));
    if (!row.Get<bool>("wants_job")) continue;
    unmatched.push_back(row.Get<std::int64_t>("id"));
    queues.push_back(row.Get<std::string>("queue"));
  }
  AskForPlaces(transaction_, queue_, unmatched, queues);
}

void GroupChanges::Rebind(const std::vector<std::int64_t>& groups) {
  if (groups.empty()) return;
  for (const sql::Row row : transaction_.Run(queries::kRebindGroups, groups)) {
    const auto group = row.Get<std::int64_t>("id");
    news_.insert(group);
    jobs_.push_back(BindJob(group, row.Get<std::int32_t>("revision")));
  }
}

void GroupChanges::Add(std::vector<queue::NewJob> jobs) {
  jobs_.insert(jobs_.end(), std::make_move_iterator(jobs.begin()),
               std::make_move_iterator(jobs.end()));
}

void GroupChanges::Finish() {
  for (const std::int64_t group : clean_) jobs_.push_back(CleanupJob(group));
  if (!news_.empty())
    transaction_.Run(queries::kTellChanges,
                     std::vector<std::int64_t>(news_.begin(), news_.end()));
  if (!jobs_.empty()) queue_.Insert(transaction_, jobs_);
}

}  // namespace fluxnetes::workers
