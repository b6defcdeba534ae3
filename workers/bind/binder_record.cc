// Records the results of a batch in the database: see binder.h.
#include <algorithm>
#include <set>
#include <utility>

#include "sql/faults.h"
#include "workers/bind/bind_queries.h"
#include "workers/bind/binder.h"
#include "workers/loops/group_jobs.h"
#include "workers/loops/groups_queries.h"

namespace fluxnetes::workers {

Binder::BatchRecord Binder::Sum(const std::vector<BindGroup>& groups) const {
  BatchRecord record;
  for (const BindGroup& group : groups) {
    const bool wait = group.waits && group.problem.empty();
    record.groups.push_back(group.id);
    record.results.push_back(
        {group.job.id, group.job.attempt,
         wait ? queue::Outcome::kSnoozed : queue::Outcome::kCompleted, "",
         std::max(options_.retry, group.delay)});
    for (const BoundMember& member : group.members) {
      if (!member.bound) continue;
      record.uids.push_back(member.uid);
      record.nodes.push_back(member.node);
    }
    if (wait) {
      record.waiting.push_back(group.id);
      record.revisions_of_waiting.push_back(group.revision);
      record.awaited.push_back(group.awaited);
    }
    if (wait || group.members.empty()) continue;
    if (group.problem.empty()) {
      record.bound.push_back(group.id);
    } else {
      record.back.push_back(group.id);
      if (group.refused) record.refused.insert(group.id);
      record.revisions.push_back(group.revision);
      record.reasons.push_back("placed again: " + group.problem);
    }
  }
  return record;
}

void Binder::Record(const std::vector<BindGroup>& groups, cluster::Time now) {
  const BatchRecord record = Sum(groups);
  sql::Transaction transaction(pool_);
  if (pool_.broken() != broken_)
    throw sql::Error(sql::Error::Kind::kConnection, "", "",
                     "a connection has broken, and with it perhaps the lease: "
                     "what was bound is looked at again");
  std::map<GroupId, int> allocated;  // with their revisions
  for (const sql::Row row :
       transaction.Run(queries::kLockGroups, record.groups)) {
    if (row.Get<std::string_view>("state") != "allocated") continue;
    allocated[row.Get<std::int64_t>("id")] = row.Get<std::int32_t>("revision");
  }
  const std::vector<bool> leased =
      sql::BugPlanted("job-unfinished")
          ? std::vector<bool>(record.results.size(), true)
          : jobs_.Finish(transaction, record.results);
  transaction.Run(queries::kRecordBoundPods, record.uids, record.nodes, now);
  if (!record.waiting.empty()) {
    transaction.Run(queries::kRecordAwaited, record.waiting,
                    record.revisions_of_waiting, record.awaited);
  }
  std::set<GroupId> whole;
  for (const sql::Row row :
       transaction.Run(queries::kRecordBoundGroups, record.bound, now)) {
    whole.insert(row.Get<std::int64_t>("id"));
  }
  const std::vector<GroupId> sent = SendBack(transaction, record, leased, now);
  transaction.Commit();
  leased_.Done();
  for (const BindGroup& group : groups) {
    const auto found = allocated.find(group.id);
    if (found == allocated.end() || found->second != group.revision)
      whole.erase(group.id);
  }
  TellBindingLedger(groups, whole);
  if (options_.on_bound) options_.on_bound(record.bound, sent);
}

std::vector<GroupId> Binder::SendBack(sql::Transaction& transaction,
                                      const BatchRecord& record,
                                      const std::vector<bool>& leased,
                                      cluster::Time now) {
  if (record.back.empty()) return {};
  std::set<GroupId> lost;
  for (std::size_t i = 0; i < leased.size(); ++i) {
    if (!leased[i]) lost.insert(record.groups[i]);
  }
  std::vector<GroupId> ours;
  std::vector<std::string> reasons;
  std::vector<int> revisions;
  for (std::size_t i = 0; i < record.back.size(); ++i) {
    if (lost.contains(record.back[i])) continue;
    ours.push_back(record.back[i]);
    reasons.push_back(record.reasons[i]);
    revisions.push_back(record.revisions[i]);
  }
  std::vector<GroupId> sent, refused;
  std::vector<std::string> queues, queues_of_refused;
  for (const sql::Row row :
       transaction.Run(queries::kSendGroupsBack, ours, reasons, revisions, now,
                       std::vector<GroupId>(record.refused.begin(),
                                            record.refused.end()))) {
    const auto group = row.Get<std::int64_t>("id");
    const bool later = record.refused.contains(group);
    (later ? refused : sent).push_back(group);
    (later ? queues_of_refused : queues)
        .push_back(row.Get<std::string>("queue"));
  }
  AskForPlaces(transaction, jobs_, sent, queues);
  AskForPlaces(transaction, jobs_, refused, queues_of_refused,
               now + options_.after_refusal);
  sent.insert(sent.end(), refused.begin(), refused.end());
  transaction.Run(queries::kTellGroupChanges, sent);
  return sent;
}

void Binder::TellBindingLedger(const std::vector<BindGroup>& groups,
                               const std::set<GroupId>& whole) {
  if (options_.binding_ledger == nullptr) return;
  std::vector<std::string> uids, nodes;
  for (const BindGroup& group : groups) {
    if (!whole.contains(group.id)) continue;
    for (const BoundMember& member : group.members) {
      if (!member.posted) continue;
      uids.push_back(member.uid);
      nodes.push_back(member.node);
    }
  }
  options_.binding_ledger->End(begun_, uids, nodes);
}

void Binder::Announce(const std::vector<BindGroup>& groups, cluster::Time now) {
  if (options_.event_recorder == nullptr) return;
  std::vector<cluster::PodEvent> events;
  for (const BindGroup& group : groups) {
    for (const BoundMember& member : group.members) {
      if (!member.bound) continue;
      events.push_back({member.namespace_name, member.pod_name, member.uid,
                        false, "Scheduled",
                        "Successfully assigned " + member.namespace_name + "/" +
                            member.pod_name + " to " + member.node,
                        /*once=*/true});
    }
  }
  if (!events.empty()) options_.event_recorder->Put(std::move(events), now);
}

}  // namespace fluxnetes::workers
