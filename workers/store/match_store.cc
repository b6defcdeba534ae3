#include "workers/store/match_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sql/faults.h"
#include "workers/loops/group_jobs.h"
#include "workers/store/account_rows.h"
#include "workers/store/match_queries.h"
#include "workers/store/match_rows.h"

namespace fluxnetes::workers {
namespace {

using nlohmann::json;

constexpr int kInboxBatch = 10'000;
constexpr int kLeaseBatch = 1'000;
constexpr std::chrono::milliseconds kTableLook{500};

GroupId GroupOfMatch(const queue::Job& job) {
  return json::parse(job.args).at("group").get<GroupId>();
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> WorkQueuesOf(const std::vector<std::string>& queues) {
  std::vector<std::string> names;
  names.reserve(queues.size());
  for (const std::string& queue : queues) names.push_back(MatchQueue(queue));
  return names;
}

}  // namespace

PostgresMatchStore::PostgresMatchStore(sql::Pool& pool, queue::WorkQueue& jobs,
                                       const queue::Client& client,
                                       const Names& queues,
                                       queue::Handover* handover)
    : pool_(pool),
      jobs_(jobs),
      client_(client),
      handover_(handover),
      queues_(Sorted(queues)),
      work_queues_(WorkQueuesOf(queues_)),
      leadership_(pool, client, work_queues_) {}

bool PostgresMatchStore::Acquire() {
  const bool acquired = leadership_.TryAcquire();
  if (acquired) sql::Failpoint("match-acquired");
  return acquired;
}

std::optional<MatchStore::News> PostgresMatchStore::Read(
    const RequestMaker& requests) {
  News news;
  sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
  if (transaction.Run(queries::kHasMatchNews, queues_)[0].Get<bool>("any"))
    return std::nullopt;
  news.queues = ReadQueues(transaction);
  news.maintenance = ReadMaintenance(transaction);
  news.accounts = ReadAccounts(transaction);
  news.pools = ReadPools(transaction);
  news.held =
      HeldIn(transaction.Run(queries::kReadAllAllocations, queues_), requests);
  return news;
}

MatchStore::News PostgresMatchStore::Load(const RequestMaker& requests) {
  News news;
  first_reasons_ = true;
  next_look_ = {};
  DropHanded();
  TakeLeasesOver();
  sql::Transaction transaction(pool_, sql::Isolation::kRepeatableRead);
  broken_ = pool_.broken();
  leadership_.Check(transaction);
  transaction.Run(queries::kClearMatchInbox, queues_);
  news.queues = ReadQueues(transaction);
  news.maintenance = ReadMaintenance(transaction);
  news.accounts = ReadAccounts(transaction);
  news.used = ReadUse(transaction, queues_);
  news.pools = ReadPools(transaction);
  has_pools_ = !news.pools->empty();
  news.pools_elsewhere = pool_holds_ = ReadPoolHolds(transaction);
  NoteAccounts(*news.accounts);
  elsewhere_ = news.elsewhere = ReadElsewhere(transaction);
  news.held =
      HeldIn(transaction.Run(queries::kReadAllAllocations, queues_), requests);
  for (const sql::Row row :
       transaction.Run(queries::kReadReservations, queues_))
    news.promised.push_back(ReservationIn(row));
  Names queues, namespaces, accounts;
  std::vector<std::int64_t> shapes;
  for (const sql::Row row :
       transaction.Run(queries::kReadWaitReasons, queues_)) {
    queues.push_back(row.Get<std::string>("queue"));
    shapes.push_back(row.Get<std::int64_t>("shape"));
    namespaces.push_back(row.Get<std::string>("namespace"));
    accounts.push_back(row.Get<std::string>("account"));
  }
  if (!queues.empty()) {
    transaction.Run(queries::kDropWaitReasons, queues, shapes, namespaces,
                    accounts);
  }
  Leases leases;
  for (const sql::Row row : transaction.Run(queries::kReadHeldMatchJobs,
                                            client_.id(), work_queues_)) {
    leases[row.Get<std::int64_t>("group_id")].push_back(
        {row.Get<std::int64_t>("id"), row.Get<std::int32_t>("attempt")});
  }
  leases_.clear();
  news.waiting = ReadWaiting(transaction, requests, leases);
  transaction.Commit();
  news.more = true;
  return news;
}

// In a transaction of its own: in a snapshot it would fail if one of the leases
// is rescued meanwhile.
void PostgresMatchStore::TakeLeasesOver() {
  sql::Transaction transaction(pool_);
  leadership_.TakeLeasesOver(transaction, work_queues_);
  transaction.Commit();
}

MatchStore::Names PostgresMatchStore::ReadNodes() {
  Names nodes;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kReadComponentNodes, queues_))
    nodes.push_back(row.Get<std::string>("node_name"));
  return nodes;
}

MatchStore::Claimed PostgresMatchStore::Claim(const RequestMaker& requests,
                                              const Names& nodes) {
  Claimed claimed;
  sql::Transaction transaction(pool_);
  leadership_.Check(transaction);
  for (const sql::Row row :
       transaction.Run(queries::kClaimNodes, nodes, queues_.front()))
    claimed.nodes.push_back(row.Get<std::string>("node_name"));
  if (sql::BugPlanted("node-shared")) claimed.nodes = nodes;
  claimed.of_others = ReadHoldersOfOthers(transaction, requests, nodes);
  transaction.Commit();
  sql::Failpoint("match-claimed");
  return claimed;
}

std::vector<Held> PostgresMatchStore::ReadHoldersOfOthers(
    const RequestMaker& requests, const Names& nodes) {
  sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
  return ReadHoldersOfOthers(transaction, requests, nodes);
}

std::vector<Held> PostgresMatchStore::ReadHoldersOfOthers(
    sql::Transaction& transaction, const RequestMaker& requests,
    const Names& nodes) {
  std::vector<GroupId> groups;
  for (const sql::Row row :
       transaction.Run(queries::kReadHoldersOfOtherComponents, queues_, nodes))
    groups.push_back(row.Get<std::int64_t>("fluxion_job"));
  if (groups.empty()) return {};
  auto of_others =
      HeldIn(transaction.Run(queries::kReadAllocations, groups), requests);
  for (Held& holder : of_others) {
    holder.evictable = false;
    holder.of_another_component = true;
  }
  return of_others;
}

void PostgresMatchStore::LetGo(const Names& nodes) {
  sql::Transaction transaction(pool_);
  leadership_.Check(transaction);
  transaction.Run(queries::kLetGoOfNodes, nodes, queues_);
  transaction.Commit();
}

bool PostgresMatchStore::IsOurs(const std::string& queue) const {
  return std::ranges::binary_search(queues_, queue);
}

void PostgresMatchStore::CheckConnections() const {
  if (pool_.broken() == broken_) return;
  throw sql::Error(sql::Error::Kind::kConnection, "", "",
                   "a connection has broken, and with it perhaps what had not "
                   "reached the disk: everything is read anew");
}

// What was handed over may be known already, from Load(), or may have been
// given back and leased again: of one job the last attempt counts.
void PostgresMatchStore::AddLease(Leases& leases, GroupId group, Lease lease) {
  std::vector<Lease>& of_group = leases[group];
  const auto known = std::ranges::find(of_group, lease.job, &Lease::job);
  if (known == of_group.end())
    of_group.push_back(lease);
  else
    known->attempt = std::max(known->attempt, lease.attempt);
}

bool PostgresMatchStore::TakeHanded(Leases& leases, News& news) {
  if (handover_ == nullptr) return false;
  for (const std::string& queue : work_queues_) {
    const auto jobs = handover_->Take(queue, kLeaseBatch);
    for (const queue::Job& job : jobs)
      AddLease(leases, GroupOfMatch(job), {job.id, job.attempt});
    news.more |= std::ssize(jobs) == kLeaseBatch;
  }
  return !leases.empty();
}

// While jobs are handed over, the table need not be looked at each time: other
// loops and replicas announce the match jobs that they insert, so the next call
// follows at once.
void PostgresMatchStore::LeaseWaiting(sql::Transaction& transaction,
                                      Leases& leases, News& news) {
  const auto now = std::chrono::steady_clock::now();
  if (TakeHanded(leases, news) && now < next_look_) return;
  bool more = false;
  for (const std::string& queue : work_queues_) {
    const auto jobs =
        jobs_.Lease(transaction, queue, client_.id(), kLeaseBatch);
    for (const queue::Job& job : jobs)
      AddLease(leases, GroupOfMatch(job), {job.id, job.attempt});
    if (!jobs.empty()) leased_from_.push_back(queue);
    more |= std::ssize(jobs) == kLeaseBatch;
  }
  news.more |= more;
  if (!more) next_look_ = now + kTableLook;
}

bool PostgresMatchStore::TakeInbox(sql::Transaction& transaction, News& news) {
  bool queues_changed = false;
  bool maintenance_changed = false;
  bool accounts_changed = false;
  bool pools_changed = false;
  std::set<GroupId> changed;
  const sql::Result inbox =
      transaction.Run(queries::kTakeMatchInbox, kInboxBatch, queues_);
  for (const sql::Row row : inbox) {
    const auto what = row.Get<std::string_view>("news");
    if (what == "queue") {
      queues_changed = true;
    } else if (what == "maintenance") {
      maintenance_changed = true;
    } else if (what == "accounts") {
      accounts_changed = true;
    } else if (what == "pools") {
      pools_changed = true;
    } else if (what == "changed") {
      changed.insert(row.Get<std::int64_t>("group_id"));
    } else {
      const auto group = row.Get<std::int64_t>("group_id");
      const auto pod = row.Find<std::string>("pod_uid");
      news.released.emplace_back(group, pod.value_or(""));
      // The group is over, also if its job was leased while it had no pod.
      if (!pod && leases_.contains(group)) changed.insert(group);
    }
  }
  news.more |= std::ssize(inbox) == kInboxBatch;
  if (queues_changed) news.queues = ReadQueues(transaction);
  if (maintenance_changed) news.maintenance = ReadMaintenance(transaction);
  if (pools_changed) {
    news.pools = ReadPools(transaction);
    has_pools_ = !news.pools->empty();
  }
  if (accounts_changed) {
    news.accounts = ReadAccounts(transaction);
    NoteAccounts(*news.accounts);
  }
  news.changed.assign(changed.begin(), changed.end());
  return !inbox.empty();
}

MatchStore::News PostgresMatchStore::Take(const RequestMaker& requests,
                                          const std::set<GroupId>& of_others) {
  News news;
  Leases leases;
  for (const std::string& queue : std::exchange(leased_from_, {}))
    jobs_.MoveMarks(queue);
  // If a crash of the server undoes this transaction, the jobs are leased and
  // the changes delivered again; the decision based on them is refused, or
  // undone too.
  sql::Transaction transaction(pool_, sql::Isolation::kReadCommitted,
                               sql::Durability::kNoWait);
  CheckConnections();
  if (!sql::BugPlanted("stale-term")) leadership_.Check(transaction);
  LeaseWaiting(transaction, leases, news);
  bool told = TakeInbox(transaction, news);
  if (auto holds = ReadPoolHolds(transaction); holds != pool_holds_) {
    pool_holds_ = holds;
    news.pools_elsewhere = std::move(holds);
    told = true;
  }
  const auto elsewhere = ReadElsewhere(transaction);
  if (elsewhere != elsewhere_) {
    elsewhere_ = elsewhere;
    news.elsewhere = elsewhere.value_or(std::vector<AccountHolds>());
    told = true;
  }
  if (leases.empty() && !told && of_others.empty()) return news;
  AddKnownLeases(leases, news.changed);
  std::set<GroupId> again = of_others;
  again.insert(news.changed.begin(), news.changed.end());
  if (!again.empty()) {
    for (Held& held : HeldIn(
             transaction.Run(queries::kReadAllocations,
                             std::vector<GroupId>(again.begin(), again.end())),
             requests)) {
      const bool ours = IsOurs(held.queue);
      held.evictable = held.evictable && ours;
      held.of_another_component = !ours;
      (ours ? news.held : news.of_others).push_back(std::move(held));
    }
  }
  if (!leases.empty())
    news.waiting = ReadWaiting(transaction, requests, leases);
  transaction.Commit();
  sql::Failpoint("match-leased");
  return news;
}

void PostgresMatchStore::AddKnownLeases(Leases& leases,
                                        std::vector<GroupId>& changed) {
  std::set<GroupId> groups(changed.begin(), changed.end());
  for (const auto& [group, leased] : leases)
    if (leases_.contains(group)) groups.insert(group);
  for (const GroupId group : groups) {
    const auto known = leases_.find(group);
    if (known == leases_.end()) continue;
    AddLease(leases, group, known->second);
    leases_.erase(known);
  }
  changed.assign(groups.begin(), groups.end());
}

std::vector<QueueSettings> PostgresMatchStore::ReadQueues(
    sql::Transaction& transaction) {
  std::vector<QueueSettings> queues;
  for (const sql::Row row : transaction.Run(queries::kReadQueues, queues_))
    queues.push_back(SettingsIn(row));
  return queues;
}

void PostgresMatchStore::NoteAccounts(const std::vector<Account>& accounts) {
  has_quotas_ = HasQuotas(accounts);
  accounts_.Set(accounts);
}

std::optional<std::vector<AccountHolds>> PostgresMatchStore::ReadElsewhere(
    sql::Transaction& transaction) const {
  if (!has_quotas_) return std::nullopt;
  return ReadOtherHolds(transaction, queues_);
}

std::vector<Pool> PostgresMatchStore::ReadPools(sql::Transaction& transaction) {
  std::vector<Pool> pools;
  for (const sql::Row row : transaction.Run(queries::kReadPools))
    pools.push_back(PoolIn(row));
  return pools;
}

std::vector<PoolHold> PostgresMatchStore::ReadPoolHolds(
    sql::Transaction& transaction) const {
  std::vector<PoolHold> holds;
  if (!has_pools_) return holds;
  for (const sql::Row row : transaction.Run(queries::kReadPoolHolds, queues_))
    holds.push_back(PoolHoldIn(row));
  std::ranges::sort(holds);
  return holds;
}

std::vector<MaintenanceWindow> PostgresMatchStore::ReadMaintenance(
    sql::Transaction& transaction) {
  std::vector<MaintenanceWindow> windows;
  for (const sql::Row row : transaction.Run(queries::kReadMaintenance))
    windows.push_back(WindowIn(row));
  return windows;
}

std::vector<PendingGroup> PostgresMatchStore::ReadWaiting(
    sql::Transaction& transaction, const RequestMaker& requests,
    const Leases& leases) {
  std::vector<GroupId> ids;
  for (const auto& [group, of_group] : leases) ids.push_back(group);
  std::map<GroupId, PendingGroup> groups;
  for (const sql::Row row : transaction.Run(queries::kReadWaitingGroups, ids)) {
    PendingGroup group = WaitingGroupIn(row);
    const auto& of_group = leases.at(group.id);
    const auto lease = std::ranges::find(
        of_group, row.Find<std::int64_t>("match_job"), &Lease::job);
    if (lease == of_group.end()) continue;
    leases_[group.id] = *lease;
    std::tie(group.job_id, group.job_attempt) =
        std::tie(lease->job, lease->attempt);
    groups.emplace(group.id, std::move(group));
  }
  for (const sql::Row row :
       transaction.Run(queries::kReadWaitingMembers, ids)) {
    const auto group = groups.find(row.Get<std::int64_t>("group_id"));
    if (group == groups.end()) continue;
    const auto* request = requests(row.Get<std::string>("request"));
    group->second.members.push_back({row.Get<std::string>("uid"), request});
    if (request->rules.Any())
      group->second.topology = cluster::OfGroup(request->rules->topology);
  }
  FinishUseless(transaction, leases);
  std::vector<PendingGroup> waiting;
  for (auto& [id, group] : groups)
    if (!group.members.empty()) waiting.push_back(std::move(group));
  return waiting;
}

void PostgresMatchStore::FinishUseless(sql::Transaction& transaction,
                                       const Leases& leases) {
  std::vector<queue::JobResult> results;
  for (const auto& [group, of_group] : leases) {
    const auto kept = leases_.find(group);
    for (const Lease& lease : of_group) {
      if (kept != leases_.end() && kept->second == lease) continue;
      results.push_back({lease.job,
                         lease.attempt,
                         kept == leases_.end() ? queue::Outcome::kCompleted
                                               : queue::Outcome::kCancelled,
                         "",
                         {}});
    }
  }
  if (!results.empty()) jobs_.Finish(transaction, results);
}

void PostgresMatchStore::GiveUp() {
  sql::Transaction transaction(pool_);
  std::vector<queue::JobResult> results;
  for (const sql::Row row : transaction.Run(queries::kReadHeldMatchJobs,
                                            client_.id(), work_queues_)) {
    results.push_back({row.Get<std::int64_t>("id"),
                       row.Get<std::int32_t>("attempt"),
                       queue::Outcome::kSnoozed,
                       "",
                       {}});
  }
  if (!results.empty()) jobs_.Finish(transaction, results);
  transaction.Commit();
  DropHanded();
}

void PostgresMatchStore::Resign() {
  leadership_.Resign();
  DropHanded();
}

// The table tells of them, unless a crash of the server has undone them.
void PostgresMatchStore::DropHanded() {
  Leases handed;
  News news;
  while (TakeHanded(handed, news)) handed.clear();
}

}  // namespace fluxnetes::workers
