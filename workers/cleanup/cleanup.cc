#include "workers/cleanup/cleanup.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sql/connection/transaction.h"
#include "sql/faults.h"
#include "workers/cleanup/cleanup_queries.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::workers {
namespace {

using Ids = std::vector<std::int64_t>;

Ids AsArray(const std::set<std::int64_t>& ids) {
  return {ids.begin(), ids.end()};
}

cluster::ObjectName OwnerOf(const sql::Row& row) {
  return {row.Find<std::string>("owner_kind").value_or(""),
          row.Get<std::string>("namespace"),
          row.Find<std::string>("owner_name").value_or(""),
          row.Find<std::string>("owner_uid").value_or("")};
}

}  // namespace

Cleanup::Cleanup(sql::Pool& pool, queue::WorkQueue& jobs,
                 const queue::Client& client, cluster::Cluster& cluster,
                 Options options)
    : pool_(pool),
      jobs_(jobs),
      leased_(jobs, client, kCleanupQueue),
      cluster_(cluster),
      options_(std::move(options)) {}

bool Cleanup::RunOnce(cluster::Time now) {
  const auto jobs = leased_.Lease(options_.batch);
  sql::Failpoint("cleanup-leased");
  Work work = Gather(jobs, now);
  try {
    AskOwnersAgain(work, now);
    if (work.groups.empty() && work.results.empty()) return false;
    DeleteObjects(work, now);
    sql::Failpoint("cleanup-deleted");
    AskOwners(work, now);
    Settle(work, now);
  } catch (const cluster::Unreachable&) {
    for (queue::JobResult& result : work.results) {
      if (result.outcome != queue::Outcome::kCompleted) continue;
      result.outcome = queue::Outcome::kSnoozed;
      result.delay = options_.retry;
    }
    jobs_.Finish(work.results);
    leased_.Done();
    throw;
  }
  leased_.Done();
  sql::Failpoint("cleanup-committed");
  return std::ssize(jobs) == options_.batch;
}

Cleanup::Work Cleanup::Gather(const std::vector<queue::Job>& jobs,
                              cluster::Time now) {
  Work work;
  for (const queue::Job& job : jobs) {
    queue::JobResult& result = work.results.emplace_back();
    result.id = job.id;
    result.attempt = job.attempt;
    work.group_of.push_back(0);
    try {
      const auto args = nlohmann::json::parse(job.args);
      if (args.contains("group")) {
        work.group_of.back() = args.at("group").get<std::int64_t>();
        work.groups.insert(work.group_of.back());
      } else {
        work.filling_namespaces.push_back(args.at("namespace"));
        work.filling_names.push_back(args.at("group_name"));
      }
    } catch (const nlohmann::json::exception& error) {
      result.outcome = queue::Outcome::kDiscarded;
      result.error = error.what();
    }
  }
  GatherDue(work, now);
  return work;
}

void Cleanup::GatherDue(Work& work, cluster::Time now) {
  std::map<std::int64_t, cluster::Time> asked;
  sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
  if (!work.groups.empty()) {
    for (const sql::Row row :
         transaction.Run(queries::kReadCancelledGroups, AsArray(work.groups)))
      work.to_delete.insert(row.Get<std::int64_t>("id"));
  }
  for (const sql::Row row : transaction.Run(queries::kReadDueGroups, now))
    work.groups.insert(row.Get<std::int64_t>("id"));
  for (const sql::Row row : transaction.Run(queries::kReadOverdueGroups, now)) {
    const auto group = row.Get<std::int64_t>("id");
    const auto before = asked_.find(group);
    if (before != asked_.end() &&
        now < before->second + options_.delete_again) {
      asked.insert(*before);
      continue;
    }
    asked[group] = now;
    work.groups.insert(group);
    work.to_delete.insert(group);
  }
  transaction.Commit();
  asked_ = std::move(asked);
}

void Cleanup::DeleteObjects(Work& work, cluster::Time now) {
  if (work.to_delete.empty() && work.filling_names.empty()) return;
  sql::Result members, filling;
  {
    sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
    members =
        transaction.Run(queries::kReadMembersToDelete, AsArray(work.to_delete));
    filling = transaction.Run(queries::kReadFillingPodsToDelete,
                              work.filling_namespaces, work.filling_names);
    transaction.Commit();
  }
  TellEvicted(members, work, now);
  deleted_.clear();
  refused_owners_.clear();
  const auto remove = [&](const sql::Row& row) {
    try {
      if (DeleteFor(row)) return;
    } catch (const cluster::Refused& refused) {
      if (options_.on_refused) options_.on_refused(refused.what());
    }
    work.refused.insert(row.Get<std::int64_t>("group_id"));
  };
  try {
    for (const sql::Row row : members) {
      if (!work.untold.contains(row.Get<std::int64_t>("group_id"))) remove(row);
    }
    for (const sql::Row row : filling) remove(row);
  } catch (const cluster::Unreachable&) {
    for (auto& [group, asked] : asked_) asked = now - options_.delete_again;
    throw;
  }
  for (std::size_t i = 0; i < work.results.size(); ++i) {
    queue::JobResult& result = work.results[i];
    const bool untold = work.untold.contains(work.group_of[i]);
    if (result.outcome != queue::Outcome::kCompleted ||
        !(untold || work.refused.contains(work.group_of[i])))
      continue;
    result.outcome = queue::Outcome::kSnoozed;
    result.delay = untold ? options_.retry : options_.delete_again;
  }
}

// Sets a condition on evicted pods before their deletion, so that their owners
// see the reason (Kubernetes: "Disruptions", pod disruption conditions). It
// includes pods of which it is unknown whether they were bound. If the API
// server is unreachable, these groups are put off and others go on; the
// deletion does not wait for the event.
void Cleanup::TellEvicted(const sql::Result& members, Work& work,
                          cluster::Time now) {
  std::vector<cluster::PodCondition> conditions;
  std::vector<cluster::PodEvent> events;
  std::set<std::int64_t> groups;
  for (const sql::Row row : members) {
    const auto why = row.Find<std::string>("preempted");
    if (!why) continue;
    cluster::PodCondition& condition = conditions.emplace_back();
    condition.namespace_name = row.Get<std::string>("namespace");
    condition.pod_name = row.Get<std::string>("pod_name");
    condition.pod_uid = row.Get<std::string>("uid");
    condition.reason = "PreemptionByScheduler";
    condition.message = *why;
    condition.since = now;
    condition.type = cluster::PodCondition::Type::kDisruptionTarget;
    const auto group = row.Get<std::int64_t>("group_id");
    if (!groups.insert(group).second || row.Get<bool>("told")) continue;
    work.told.insert(group);
    events.push_back({condition.namespace_name, condition.pod_name,
                      condition.pod_uid, true, "Preempted",
                      "the group is " + *why, /*once=*/true, "preempted"});
  }
  if (conditions.empty()) return;
  try {
    cluster_.SetConditions(conditions);
  } catch (const cluster::Unreachable&) {
    work.untold = std::move(groups);
    work.told.clear();
    return;
  }
  try {
    cluster_.Record(events);
  } catch (const cluster::Unreachable&) {
  }
}

// A controller that may not be read is not expected to replace pods.
bool Cleanup::MayReplace(const cluster::ObjectName& owner) {
  try {
    return cluster_.MayReplace(owner);
  } catch (const cluster::Refused& refused) {
    if (options_.on_refused) options_.on_refused(refused.what());
    return false;
  }
}

bool Cleanup::DeleteFor(const sql::Row& row) {
  const auto action = row.Get<std::string_view>("deadline_action");
  const auto space = row.Get<std::string>("namespace");
  const cluster::ObjectName owner = OwnerOf(row);
  const bool by_owner =
      !owner.uid.empty() &&
      (action == "owner" || (action == "job" && owner.kind == "Job"));
  if (by_owner && refused_owners_.contains(owner.uid)) return false;
  if (by_owner && !deleted_.contains(owner.uid)) {
    try {
      const std::optional<cluster::ObjectName> target =
          action == "owner" ? cluster_.TopOwner(owner) : owner;
      deleted_[owner.uid] = target && cluster_.Delete(*target);
    } catch (const cluster::Refused&) {
      refused_owners_.insert(owner.uid);
      throw;
    }
  }
  if (by_owner && deleted_.at(owner.uid)) return true;
  cluster_.Delete({"Pod", space, row.Get<std::string>("pod_name"),
                   row.Get<std::string>("uid")});
  return true;
}

void Cleanup::AskOwners(Work& work, cluster::Time now) {
  if (work.groups.empty()) return;
  for (const sql::Row row : sql::RunAlone(pool_, queries::kReadHopefulOwners,
                                          AsArray(work.groups), now)) {
    const cluster::ObjectName owner = OwnerOf(row);
    if (MayReplace(owner)) work.replacing.push_back(owner.uid);
  }
}

void Cleanup::AskOwnersAgain(Work& work, cluster::Time now) {
  std::map<std::string, Pace> paces;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kReadOwnersOfHeldPlaces, now)) {
    const cluster::ObjectName owner = OwnerOf(row);
    const auto known = paces_.find(owner.uid);
    Pace pace = known == paces_.end()
                    ? Pace{now + options_.ask_again, options_.ask_again}
                    : known->second;
    if (now >= pace.next && !MayReplace(owner)) {
      work.forsaken.push_back(owner.uid);
      continue;
    }
    if (now >= pace.next) {
      pace.interval *= 2;
      pace.next = now + pace.interval;
    }
    paces[owner.uid] = pace;
  }
  paces_ = std::move(paces);
  if (work.forsaken.empty()) return;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kReadForsakenGroups, work.forsaken, now))
    work.groups.insert(row.Get<std::int64_t>("id"));
}

void Cleanup::CancelGrowth(sql::Transaction& transaction, const Work& work,
                           std::vector<queue::NewJob>& next) {
  for (const sql::Row row :
       transaction.Run(queries::kCancelGrowth, AsArray(work.to_delete)))
    next.push_back(
        CancelJob(row.Get<std::int64_t>("id"), row.Get<std::string>("reason")));
}

void Cleanup::Settle(const Work& work, cluster::Time now) {
  const Ids groups = AsArray(work.groups);
  sql::Transaction transaction(pool_);
  if (!groups.empty()) {
    transaction.Run(queries::kLockGroupsToClean, groups);
    if (!work.told.empty())
      transaction.Run(queries::kNoteToldEvicted, AsArray(work.told));
    if (!work.replacing.empty())
      transaction.Run(queries::kHoldPlaces, groups, work.replacing);
    if (!work.forsaken.empty())
      transaction.Run(queries::kHoldPlacesNoLonger, work.forsaken, now);
    transaction.Run(queries::kReleasePlaces, groups, now,
                    sql::BugPlanted("release-untold"));
    std::vector<queue::NewJob> next;
    for (const sql::Row row :
         transaction.Run(queries::kRecordHistory, groups,
                         sql::BugPlanted("history-too-early"), now)) {
      if (const auto grown = row.Find<std::int64_t>("extends"))
        next.push_back(CleanupJob(*grown));
    }
    if (!work.to_delete.empty()) CancelGrowth(transaction, work, next);
    if (!next.empty()) jobs_.Insert(transaction, next);
  }
  jobs_.Finish(transaction, work.results);
  sql::Failpoint("cleanup-before-commit");
  transaction.Commit();
}

}  // namespace fluxnetes::workers
