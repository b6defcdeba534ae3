#include "workers/match_store.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "sql/faults.h"
#include "workers/group_jobs.h"
#include "workers/other_resources.h"
#include "workers/queries.h"

namespace fluxnetes::workers {
namespace {

using nlohmann::json;

constexpr int kInboxBatch = 10'000;
constexpr int kLeaseBatch = 1'000;

const cluster::PodRequest* RequestOf(const sql::Row& row, Schedule& schedule) {
  cluster::PodRequest request;
  request.resources.cpu_milli = row.Get<std::int64_t>("cpu_milli");
  request.resources.memory_bytes = row.Get<std::int64_t>("memory_bytes");
  request.resources.pods = 1;
  if (const auto other = row.Find<std::string>("other"))
    ReadOtherResources(*other, request.resources);
  return schedule.Intern(cluster::ToJson(request));
}

QueueSettings SettingsOf(const sql::Row& row) {
  QueueSettings settings;
  settings.name = row.Get<std::string>("name");
  settings.node_selector = json::parse(row.Get<std::string>("node_selector"))
                               .get<std::map<std::string, std::string>>();
  settings.queue_policy = row.Get<std::string_view>("queue_policy") == "fcfs"
                              ? QueuePolicy::kFcfs
                              : QueuePolicy::kEasy;
  settings.match_policy =
      matcher::ParsePolicy(row.Get<std::string_view>("match_policy")).value();
  settings.queue_depth = row.Get<std::int32_t>("queue_depth");
  settings.paused = row.Get<bool>("paused");
  settings.assumed_duration = row.Find<std::int64_t>("assumed_duration");
  return settings;
}

PendingGroup GroupOf(const sql::Row& row) {
  PendingGroup group;
  group.id = row.Get<std::int64_t>("id");
  group.namespace_name = row.Get<std::string>("namespace");
  group.name = row.Get<std::string>("group_name");
  group.queue = row.Get<std::string>("queue");
  group.priority = row.Get<std::int32_t>("priority");
  group.first_in_line = row.Get<bool>("first_in_line");
  group.submitted_at = cluster::Time(
      std::chrono::microseconds(row.Get<std::int64_t>("submitted_us")));
  group.revision = row.Get<std::int32_t>("revision");
  group.shape = row.Get<std::int64_t>("shape");
  group.duration = row.Find<std::int64_t>("duration_seconds");
  group.unsatisfiable = row.Get<bool>("unsatisfiable");
  return group;
}

std::string NodeArray(const std::vector<std::string>& nodes) {
  return *sql::Parameter(nodes).text();
}

std::vector<std::string> NodesOf(const Placed& placed) {
  std::set<std::string> nodes;
  for (const PlacedMember& member : placed.members) nodes.insert(member.node);
  return {nodes.begin(), nodes.end()};
}

}  // namespace

PostgresMatchStore::PostgresMatchStore(sql::Pool& pool, queue::WorkQueue& jobs,
                                       const queue::Client& client,
                                       queue::Leadership& leadership)
    : pool_(pool), jobs_(jobs), client_(client), leadership_(leadership) {}

MatchStore::News PostgresMatchStore::Load(Schedule& schedule,
                                          std::int64_t term) {
  News news;
  sql::Transaction transaction(pool_, sql::Isolation::kRepeatableRead);
  leadership_.Check(transaction, term);
  transaction.Run(queries::kClearMatchInbox);
  news.queues = ReadQueues(transaction);
  news.held = ReadHeld(transaction, schedule, nullptr);
  std::vector<GroupId> reserved;
  for (const sql::Row row : transaction.Run(queries::kReadReservations)) {
    reserved.push_back(row.Get<std::int64_t>("group_id"));
  }
  // A new owner plans anew: what the former one had promised is taken back
  // here and promised again by the first decision.
  if (!reserved.empty()) transaction.Run(queries::kDropReservations, reserved);
  std::vector<std::string> queues;
  std::vector<std::int64_t> shapes;
  for (const sql::Row row : transaction.Run(queries::kReadWaitReasons)) {
    queues.push_back(row.Get<std::string>("queue"));
    shapes.push_back(row.Get<std::int64_t>("shape"));
  }
  if (!queues.empty()) {
    transaction.Run(queries::kDropWaitReasons, queues, shapes);
  }
  Leases leases;
  for (const sql::Row row :
       transaction.Run(queries::kReadHeldMatchJobs, client_.id())) {
    leases[row.Get<std::int64_t>("group_id")] = {
        row.Get<std::int64_t>("id"), row.Get<std::int32_t>("attempt")};
  }
  leases_.clear();
  news.waiting = ReadWaiting(transaction, schedule, leases);
  transaction.Commit();
  news.more = true;
  return news;
}

MatchStore::News PostgresMatchStore::Take(Schedule& schedule,
                                          std::int64_t term) {
  News news;
  Leases leases;
  for (const std::string& queue : std::exchange(leased_from_, {}))
    jobs_.MoveMarks(queue);
  sql::Transaction transaction(pool_);
  if (!sql::BugPlanted("stale-term")) leadership_.Check(transaction, term);
  for (const std::string& queue : queue_names_) {
    const auto jobs =
        jobs_.Lease(transaction, MatchQueue(queue), client_.id(), kLeaseBatch);
    for (const queue::Job& job : jobs) {
      const auto group = json::parse(job.args).at("group").get<GroupId>();
      leases[group] = {job.id, job.attempt};
    }
    if (!jobs.empty()) leased_from_.push_back(MatchQueue(queue));
    news.more |= std::ssize(jobs) == kLeaseBatch;
  }
  bool queues_changed = false;
  std::set<GroupId> changed;
  const sql::Result inbox =
      transaction.Run(queries::kTakeMatchInbox, kInboxBatch);
  if (leases.empty() && inbox.empty()) return news;  // nothing to commit
  for (const sql::Row row : inbox) {
    const auto what = row.Get<std::string_view>("news");
    if (what == "queue") {
      queues_changed = true;
    } else if (what == "changed") {
      changed.insert(row.Get<std::int64_t>("group_id"));
    } else {
      news.released.emplace_back(row.Get<std::int64_t>("group_id"),
                                 row.Find<std::string>("pod_uid").value_or(""));
    }
  }
  news.more |= std::ssize(inbox) == kInboxBatch;
  if (queues_changed) news.queues = ReadQueues(transaction);
  news.changed.assign(changed.begin(), changed.end());
  if (!changed.empty()) {
    news.held = ReadHeld(transaction, schedule, &news.changed);
    ReadAgain(transaction, news.changed, leases);
  }
  if (!leases.empty()) {
    news.waiting = ReadWaiting(transaction, schedule, leases);
  }
  transaction.Commit();
  sql::Failpoint("match-leased");
  return news;
}

void PostgresMatchStore::ReadAgain(sql::Transaction& transaction,
                                   const std::vector<GroupId>& changed,
                                   Leases& leases) {
  std::vector<queue::JobResult> superseded;
  for (const GroupId group : changed) {
    const auto old = leases_.find(group);
    if (old == leases_.end()) continue;
    if (!leases.emplace(group, old->second).second) {
      superseded.push_back({old->second.first,
                            old->second.second,
                            queue::Outcome::kCancelled,
                            "",
                            {}});
    }
    leases_.erase(old);
  }
  if (!superseded.empty()) jobs_.Finish(transaction, superseded);
}

std::vector<QueueSettings> PostgresMatchStore::ReadQueues(
    sql::Transaction& transaction) {
  std::vector<QueueSettings> queues;
  queue_names_.clear();
  for (const sql::Row row : transaction.Run(queries::kReadQueues)) {
    queues.push_back(SettingsOf(row));
    queue_names_.push_back(queues.back().name);
  }
  return queues;
}

std::vector<Held> PostgresMatchStore::ReadHeld(
    sql::Transaction& transaction, Schedule& schedule,
    const std::vector<GroupId>* groups) {
  std::vector<Held> held;
  const sql::Result rows =
      groups == nullptr ? transaction.Run(queries::kReadAllAllocations)
                        : transaction.Run(queries::kReadAllocations, *groups);
  for (const sql::Row row : rows) {
    const auto group = row.Get<std::int64_t>("fluxion_job");
    if (held.empty() || held.back().group != group) {
      held.push_back({group,
                      row.Get<std::int64_t>("starts_at"),
                      row.Find<std::int64_t>("ends_at"),
                      {},
                      row.Get<std::string>("queue")});
    }
    held.back().members.push_back({row.Get<std::string>("pod_uid"),
                                   row.Get<std::string>("node_name"),
                                   RequestOf(row, schedule)});
  }
  return held;
}

std::vector<PendingGroup> PostgresMatchStore::ReadWaiting(
    sql::Transaction& transaction, Schedule& schedule, const Leases& leases) {
  std::vector<GroupId> ids;
  for (const auto& [group, lease] : leases) ids.push_back(group);
  std::map<GroupId, PendingGroup> groups;
  for (const sql::Row row : transaction.Run(queries::kReadWaitingGroups, ids)) {
    PendingGroup group = GroupOf(row);
    const auto& lease = leases.at(group.id);
    if (row.Find<std::int64_t>("match_job") != lease.first) continue;
    std::tie(group.job_id, group.job_attempt) = lease;
    groups.emplace(group.id, std::move(group));
  }
  for (const sql::Row row :
       transaction.Run(queries::kReadWaitingMembers, ids)) {
    const auto group = groups.find(row.Get<std::int64_t>("group_id"));
    if (group == groups.end()) continue;
    group->second.members.push_back(
        {row.Get<std::string>("uid"),
         schedule.Intern(row.Get<std::string>("request"))});
  }
  std::vector<queue::JobResult> idle;
  std::vector<PendingGroup> waiting;
  for (const auto& [id, lease] : leases) {
    const auto group = groups.find(id);
    if (group == groups.end() || group->second.members.empty()) {
      idle.push_back(
          {lease.first, lease.second, queue::Outcome::kCompleted, "", {}});
    } else {
      waiting.push_back(std::move(group->second));
      leases_[id] = lease;
    }
  }
  if (!idle.empty()) jobs_.Finish(transaction, idle);
  return waiting;
}

std::set<GroupId> PostgresMatchStore::Commit(const Decision& decision,
                                             std::int64_t term,
                                             cluster::Time now) {
  sql::Failpoint("match-decided");
  sql::Transaction transaction(pool_);
  if (!sql::BugPlanted("stale-term")) leadership_.Check(transaction, term);
  const std::set<GroupId> unchanged = Lock(transaction, decision);
  CommitVerdicts(transaction, decision.verdicts);
  CommitReservations(transaction, decision, now);
  auto refused =
      CommitPlacements(transaction, decision.placed, unchanged, term, now);
  CommitReasons(transaction, decision.reasons, now);
  transaction.Commit();
  for (const GroupId group : unchanged) leases_.erase(group);
  sql::Failpoint("match-committed");
  return refused;
}

std::set<GroupId> PostgresMatchStore::Lock(sql::Transaction& transaction,
                                           const Decision& decision) {
  std::vector<GroupId> groups = decision.unreserved;
  for (const auto& verdict : decision.verdicts) groups.push_back(verdict.group);
  for (const auto& reserved : decision.reserved)
    groups.push_back(reserved.group);
  std::map<GroupId, int> placed;
  for (const Placed& group : decision.placed) {
    groups.push_back(group.group);
    placed[group.group] = group.revision;
  }
  std::set<GroupId> unchanged;
  for (const sql::Row row : transaction.Run(queries::kLockGroups, groups)) {
    const auto found = placed.find(row.Get<std::int64_t>("id"));
    if (found != placed.end() &&
        found->second == row.Get<std::int32_t>("revision"))
      unchanged.insert(found->first);
  }
  return unchanged;
}

void PostgresMatchStore::CommitVerdicts(sql::Transaction& transaction,
                                        const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return;
  std::vector<std::int64_t> ids;
  std::vector<int> revisions;
  std::vector<bool> unsatisfiable;
  std::vector<std::string> reasons, causes;
  std::map<GroupId, const Verdict*> to_tell;
  for (const Verdict& verdict : verdicts) {
    ids.push_back(verdict.group);
    revisions.push_back(verdict.revision);
    unsatisfiable.push_back(verdict.unsatisfiable);
    reasons.push_back(verdict.reason);
    causes.push_back(verdict.member);
    if (verdict.unsatisfiable) to_tell[verdict.group] = &verdict;
  }
  std::vector<GroupId> told;
  for (const sql::Row row :
       transaction.Run(queries::kRecordVerdicts, ids, revisions, unsatisfiable,
                       reasons, causes)) {
    const auto id = row.Get<std::int64_t>("id");
    if (to_tell.contains(id)) told.push_back(id);
  }
  if (told.empty()) return;
  std::vector<queue::NewJob> notices;
  for (const sql::Row row : transaction.Run(queries::kReadPodsOfGroups, told)) {
    const json args = {
        {"namespace", row.Get<std::string>("namespace")},
        {"pod", row.Get<std::string>("pod_name")},
        {"uid", row.Get<std::string>("uid")},
        {"reason", "Unschedulable"},
        {"message", to_tell[row.Get<std::int64_t>("group_id")]->reason},
        {"condition", true}};
    queue::NewJob job;
    job.kind = job.queue = kNoticeQueue;
    job.args = args.dump();
    notices.push_back(std::move(job));
  }
  jobs_.Insert(transaction, notices);
}

std::set<GroupId> PostgresMatchStore::CommitPlacements(
    sql::Transaction& transaction, const std::vector<Placed>& placed,
    const std::set<GroupId>& unchanged, std::int64_t term, cluster::Time now) {
  if (placed.empty()) return {};
  std::vector<queue::JobResult> results;
  std::vector<const Placed*> tried;
  for (const Placed& group : placed) {
    if (!unchanged.contains(group.group)) continue;
    tried.push_back(&group);
    results.push_back(
        {group.job_id, group.job_attempt, queue::Outcome::kCompleted, "", {}});
  }
  const std::vector<bool> leased = jobs_.Finish(transaction, results);
  std::vector<std::int64_t> ids;
  std::vector<int> revisions;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (!leased[i]) continue;
    ids.push_back(tried[i]->group);
    revisions.push_back(tried[i]->revision);
  }
  std::set<GroupId> accepted;
  for (const sql::Row row :
       transaction.Run(queries::kAllocateGroups, ids, revisions, now)) {
    accepted.insert(row.Get<std::int64_t>("id"));
  }

  std::set<GroupId> refused;
  std::vector<std::int64_t> allocations, starts;
  std::vector<std::optional<std::int64_t>> ends;
  std::vector<std::string> queues, nodes;
  std::vector<std::int64_t> jobs, cpu, memory;
  std::vector<std::string> uids, places;
  std::vector<std::optional<std::string>> other;
  std::vector<queue::NewJob> bind;
  for (const Placed& group : placed) {
    if (!accepted.contains(group.group)) {
      refused.insert(group.group);
      continue;
    }
    allocations.push_back(group.group);
    queues.push_back(group.queue);
    nodes.push_back(NodeArray(NodesOf(group)));
    starts.push_back(group.start);
    ends.push_back(group.end);
    for (const PlacedMember& member : group.members) {
      const cluster::Resources& amounts = member.request->resources;
      jobs.push_back(group.group);
      uids.push_back(member.uid);
      places.push_back(member.node);
      cpu.push_back(amounts.cpu_milli);
      memory.push_back(amounts.memory_bytes);
      other.push_back(OtherResources(amounts));
      if (sql::BugPlanted("half-gang")) break;
    }
    bind.push_back(BindJob(group.group, group.revision));
  }
  if (allocations.empty()) return refused;
  transaction.Run(queries::kInsertAllocations, allocations, queues, nodes,
                  starts, ends, term);
  transaction.Run(queries::kInsertPlacements, jobs, uids, places, cpu, memory,
                  other);
  transaction.Run(queries::kDropReservations, allocations);
  jobs_.Insert(transaction, bind);
  return refused;
}

void PostgresMatchStore::CommitReservations(sql::Transaction& transaction,
                                            const Decision& decision,
                                            cluster::Time now) {
  if (!decision.unreserved.empty()) {
    transaction.Run(queries::kDropReservations, decision.unreserved);
  }
  if (decision.reserved.empty()) return;
  std::vector<std::int64_t> ids;
  std::vector<std::string> queues, nodes;
  std::vector<std::optional<std::int64_t>> starts;
  for (const Reservation& reservation : decision.reserved) {
    ids.push_back(reservation.group);
    queues.push_back(reservation.queue);
    starts.push_back(reservation.start);
    nodes.push_back(NodeArray(reservation.nodes));
  }
  transaction.Run(queries::kRecordReservations, ids, queues, starts, nodes,
                  now);
}

void PostgresMatchStore::CommitReasons(sql::Transaction& transaction,
                                       const std::vector<WaitReason>& reasons,
                                       cluster::Time now) {
  std::vector<std::string> queues, texts, old_queues;
  std::vector<std::int64_t> shapes, old_shapes;
  for (const WaitReason& reason : reasons) {
    if (reason.reason.empty()) {
      old_queues.push_back(reason.queue);
      old_shapes.push_back(reason.shape);
    } else {
      queues.push_back(reason.queue);
      shapes.push_back(reason.shape);
      texts.push_back(reason.reason);
    }
  }
  if (!queues.empty()) {
    transaction.Run(queries::kRecordWaitReasons, queues, shapes, texts, now);
  }
  if (!old_queues.empty()) {
    transaction.Run(queries::kDropWaitReasons, old_queues, old_shapes);
  }
}

void PostgresMatchStore::GiveUp() {
  sql::Transaction transaction(pool_);
  std::vector<queue::JobResult> results;
  for (const sql::Row row :
       transaction.Run(queries::kReadHeldMatchJobs, client_.id())) {
    results.push_back({row.Get<std::int64_t>("id"),
                       row.Get<std::int32_t>("attempt"),
                       queue::Outcome::kSnoozed,
                       "",
                       {}});
  }
  if (!results.empty()) jobs_.Finish(transaction, results);
  transaction.Commit();
}

void PostgresMatchStore::WriteNodes(const std::vector<NodeReport>& changed,
                                    const std::vector<std::string>& gone,
                                    bool all, cluster::Time now) {
  std::vector<std::string> names, other, labels;
  std::vector<std::int64_t> cpu, memory, pods;
  std::vector<std::int64_t> foreign_cpu, foreign_memory, foreign_pods;
  std::vector<std::optional<std::string>> closed;
  for (const NodeReport& report : changed) {
    const cluster::Resources& total = report.node.allocatable;
    names.push_back(report.node.name);
    cpu.push_back(total.cpu_milli);
    memory.push_back(total.memory_bytes);
    pods.push_back(total.pods);
    other.push_back(OtherResources(total).value_or("{}"));
    foreign_cpu.push_back(report.foreign.cpu_milli);
    foreign_memory.push_back(report.foreign.memory_bytes);
    foreign_pods.push_back(report.foreign.pods);
    const std::string why = cluster::WhyClosed(report.node);
    closed.push_back(why.empty() ? std::nullopt : std::optional(why));
    labels.push_back(json(report.node.labels).dump());
  }
  sql::Transaction transaction(pool_);
  if (!names.empty()) {
    transaction.Run(queries::kWriteNodes, names, cpu, memory, pods, other,
                    foreign_cpu, foreign_memory, foreign_pods, closed, labels,
                    now);
  }
  if (all) {
    transaction.Run(queries::kDropNodes, names, true);
  } else if (!gone.empty()) {
    transaction.Run(queries::kDropNodes, gone, false);
  }
  transaction.Commit();
}

}  // namespace fluxnetes::workers
