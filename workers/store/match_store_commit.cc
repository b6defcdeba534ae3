// Commits decisions: see match_store.h.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "sql/faults.h"
#include "workers/loops/group_jobs.h"
#include "workers/loops/groups_queries.h"
#include "workers/pods/other_resources.h"
#include "workers/store/match_queries.h"
#include "workers/store/match_rows.h"
#include "workers/store/match_store.h"
#include "workers/store/own_devices.h"

namespace fluxnetes::workers {
namespace {

std::string NodeArray(const std::vector<std::string>& nodes) {
  return *sql::Parameter(nodes).text();
}

std::optional<std::string> UnlessNone(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::vector<std::string> NodesOf(const Placed& placed) {
  std::set<std::string> nodes;
  for (const PlacedMember& member : placed.members) nodes.insert(member.node);
  return {nodes.begin(), nodes.end()};
}

// The claims of several pods that these groups' other pods have, by group; they
// are counted in the records of these.
std::map<GroupId, std::set<std::string>> CountedClaims(
    sql::Transaction& transaction, const std::vector<const Placed*>& placed) {
  std::vector<GroupId> sharing;
  for (const Placed* group : placed) {
    const auto shares = [](const PlacedMember& member) {
      return std::ranges::any_of(
          member.request->rules->resource_claims,
          [](const auto& claim) { return !claim.claim.empty(); });
    };
    if (std::ranges::any_of(group->members, shares))
      sharing.push_back(group->group);
  }
  std::map<GroupId, std::set<std::string>> counted;
  if (sharing.empty()) return counted;
  for (const sql::Row row :
       transaction.Run(queries::kReadSharedClaims, sharing))
    counted[row.Get<std::int64_t>("id")].insert(row.Get<std::string>("claim"));
  return counted;
}

// Makes the worker read these groups and decide again.
void TellAgain(sql::Transaction& transaction,
               const std::vector<Placed>& placed) {
  std::vector<GroupId> groups;
  for (const Placed& each : placed) groups.push_back(each.group);
  transaction.Run(queries::kTellGroupChanges, groups);
}

}  // namespace

std::set<GroupId> PostgresMatchStore::Commit(const Decision& decision,
                                             cluster::Time now) {
  sql::Failpoint("match-decided");
  sql::Transaction transaction(pool_);
  CheckConnections();
  if (!sql::BugPlanted("stale-term")) leadership_.Check(transaction);
  const bool quotas_known = !elsewhere_ || decision.placed.empty() ||
                            !decision.holds ||
                            LockQuotas(transaction, *decision.holds);
  const std::set<GroupId> without_pool =
      LockPools(transaction, decision.placed);
  const Locked locked = Lock(transaction, decision);
  std::set<GroupId> unchanged;
  if (quotas_known) {
    unchanged = Unchanged(locked, decision.placed);
  } else {
    TellAgain(transaction, decision.placed);
  }
  if (!without_pool.empty() && quotas_known)
    transaction.Run(
        queries::kTellGroupChanges,
        std::vector<GroupId>(without_pool.begin(), without_pool.end()));
  for (const GroupId group : without_pool) unchanged.erase(group);
  CommitVerdicts(transaction, decision.verdicts, now);
  CommitReservations(transaction, decision, now);
  std::vector<queue::NewJob> bind;
  auto refused =
      CommitPlacements(transaction, decision.placed, unchanged, now, bind);
  refused.merge(CommitEvictions(transaction, decision.evicted, locked));
  CommitAnswers(transaction, decision);
  CommitReasons(transaction, decision.reasons, now);
  CommitUse(transaction, decision.used, now);
  if (decision.holds) CommitHolds(transaction, queues_, *decision.holds);
  InsertBindJobs(transaction, bind);
  transaction.Commit();
  if (!decision.reasons.empty()) first_reasons_ = false;
  for (const GroupId group : unchanged) leases_.erase(group);
  for (const GroupId group : decision.turned_down) leases_.erase(group);
  sql::Failpoint("match-committed");
  return refused;
}

bool PostgresMatchStore::LockQuotas(sql::Transaction& transaction,
                                    const HoldsNews& of) {
  transaction.Run(queries::kLockAccountHolds);
  const auto now = ReadElsewhere(transaction);
  if (!now) return true;
  std::map<Payer, const AccountHolds*> known;
  for (const AccountHolds& each : *elsewhere_) known[each.payer] = &each;
  const auto grew = [&](const AccountHolds& each) {
    const auto before = known.find(each.payer);
    return before == known.end() ||
           std::ranges::any_of(each.amounts, [&](const auto& held) {
             const auto& amounts = before->second->amounts;
             const auto amount = amounts.find(held.first);
             return amount == amounts.end() || held.second > amount->second;
           });
  };
  const auto path_of = [this](const Payer& payer) {
    return accounts_.PathOf(accounts_.Intern(payer));
  };
  std::set<AccountId> limited;
  for (const AccountHolds& each : of.holds) {
    for (const AccountId account : path_of(each.payer))
      if (!accounts_.at(account).quota.empty()) limited.insert(account);
  }
  return std::ranges::none_of(*now, [&](const AccountHolds& each) {
    return grew(each) &&
           std::ranges::any_of(path_of(each.payer), [&](AccountId account) {
             return limited.contains(account);
           });
  });
}

std::set<GroupId> PostgresMatchStore::LockPools(
    sql::Transaction& transaction, const std::vector<Placed>& placed) const {
  std::set<GroupId> refused;
  if (std::ranges::all_of(
          placed, [](const Placed& each) { return each.pools.empty(); }))
    return refused;
  transaction.Run(queries::kLockPoolHolds);
  if (sql::BugPlanted("pool-shared")) return refused;
  std::vector<PoolHold> unknown;
  std::ranges::set_difference(ReadPoolHolds(transaction), pool_holds_,
                              std::back_inserter(unknown));
  std::set<std::string> taken;
  for (const PoolHold& hold : unknown)
    for (const auto& [pool, amount] : hold.pools) taken.insert(pool);
  for (const Placed& each : placed) {
    if (std::ranges::any_of(each.pools, [&](const auto& pool) {
          return taken.contains(pool.first);
        }))
      refused.insert(each.group);
  }
  return refused;
}

PostgresMatchStore::Locked PostgresMatchStore::Lock(
    sql::Transaction& transaction, const Decision& decision) {
  std::vector<GroupId> groups = decision.unreserved;
  for (const auto& verdict : decision.verdicts) groups.push_back(verdict.group);
  for (const auto& reserved : decision.reserved)
    groups.push_back(reserved.group);
  for (const Placed& placed : decision.placed) groups.push_back(placed.group);
  groups.insert(groups.end(), decision.turned_down.begin(),
                decision.turned_down.end());
  for (const Eviction& evicted : decision.evicted)
    groups.insert(groups.end(), {evicted.group, evicted.preemptor});
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  Locked locked;
  for (const sql::Row row : transaction.Run(queries::kLockGroups, groups)) {
    const auto state = row.Get<std::string_view>("state");
    locked[row.Get<std::int64_t>("id")] = {
        row.Get<std::int32_t>("revision"),
        state == "allocated" || state == "bound", row.Get<bool>("cancelled")};
  }
  return locked;
}

std::set<GroupId> PostgresMatchStore::Unchanged(
    const Locked& locked, const std::vector<Placed>& placed) {
  std::set<GroupId> unchanged;
  for (const Placed& group : placed) {
    const auto found = locked.find(group.group);
    if (found != locked.end() && found->second.revision == group.revision)
      unchanged.insert(group.group);
  }
  return unchanged;
}

void PostgresMatchStore::CommitVerdicts(sql::Transaction& transaction,
                                        const std::vector<Verdict>& verdicts,
                                        cluster::Time now) {
  if (verdicts.empty()) return;
  std::vector<std::int64_t> ids;
  std::vector<int> revisions;
  std::vector<bool> unsatisfiable, deferred;
  std::vector<std::string> reasons, causes;
  for (const Verdict& verdict : verdicts) {
    ids.push_back(verdict.group);
    revisions.push_back(verdict.revision);
    unsatisfiable.push_back(verdict.unsatisfiable);
    reasons.push_back(verdict.reason);
    causes.push_back(verdict.member);
    deferred.push_back(verdict.deferred);
  }
  transaction.Run(queries::kRecordVerdicts, ids, revisions, unsatisfiable,
                  reasons, causes, now, deferred);
}

std::set<GroupId> PostgresMatchStore::CommitPlacements(
    sql::Transaction& transaction, const std::vector<Placed>& placed,
    const std::set<GroupId>& unchanged, cluster::Time now,
    std::vector<queue::NewJob>& bind) {
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
  std::map<GroupId, bool> accepted;  // with whether callers start the pods
  for (const sql::Row row :
       transaction.Run(queries::kAllocateGroups, ids, revisions, now)) {
    accepted.emplace(row.Get<std::int64_t>("id"), row.Get<bool>("external"));
  }

  std::set<GroupId> refused;
  std::vector<const Placed*> written;
  bool external = false;
  for (const Placed& group : placed) {
    const auto found = accepted.find(group.group);
    if (found == accepted.end()) {
      refused.insert(group.group);
      continue;
    }
    written.push_back(&group);
    if (found->second)
      external = true;
    else
      bind.push_back(BindJob(group.group, group.revision));
  }
  if (!written.empty()) WritePlacements(transaction, written);
  if (external) transaction.Run(queries::kTellCallers);
  return refused;
}

std::set<GroupId> PostgresMatchStore::WithSucceeded(
    sql::Transaction& transaction, const std::vector<Eviction>& evicted) {
  std::vector<GroupId> victims;
  for (const Eviction& eviction : evicted) victims.push_back(eviction.group);
  std::set<GroupId> with;
  for (const sql::Row row :
       transaction.Run(queries::kReadGroupsWithSucceeded, victims))
    with.insert(row.Get<std::int64_t>("id"));
  return with;
}

// Evicts all victims of a group or none: fewer would be evicted in vain.
std::set<GroupId> PostgresMatchStore::CommitEvictions(
    sql::Transaction& transaction, const std::vector<Eviction>& evicted,
    const Locked& locked) {
  if (evicted.empty()) return {};
  const std::set<GroupId> succeeded = WithSucceeded(transaction, evicted);
  std::set<GroupId> refused;
  for (const Eviction& eviction : evicted) {
    const auto victim = locked.find(eviction.group);
    const auto preemptor = locked.find(eviction.preemptor);
    const bool holds =
        victim != locked.end() && victim->second.has_places &&
        !victim->second.cancelled && !succeeded.contains(eviction.group) &&
        preemptor != locked.end() &&
        preemptor->second.revision == eviction.preemptor_revision &&
        !preemptor->second.has_places && !preemptor->second.cancelled;
    if (!holds) refused.insert(eviction.preemptor);
  }
  std::vector<GroupId> groups, preemptors;
  std::vector<std::int64_t> ends;
  std::vector<GroupId> read_again(refused.begin(), refused.end());
  for (const Eviction& eviction : evicted) {
    if (refused.contains(eviction.preemptor)) {
      read_again.push_back(eviction.group);
      continue;
    }
    groups.push_back(eviction.group);
    preemptors.push_back(eviction.preemptor);
    ends.push_back(eviction.end);
  }
  if (!read_again.empty())
    transaction.Run(queries::kTellGroupChanges, read_again);
  if (groups.empty()) return refused;
  std::vector<queue::NewJob> cleanups;
  for (const sql::Row row :
       transaction.Run(queries::kEvictGroups, groups, preemptors, ends)) {
    cleanups.push_back(
        CancelJob(row.Get<std::int64_t>("id"), row.Get<std::string>("reason")));
  }
  jobs_.Insert(transaction, cleanups);
  return refused;
}

void PostgresMatchStore::WritePlacements(
    sql::Transaction& transaction,
    const std::vector<const Placed*>& placed) const {
  std::vector<std::int64_t> allocations, starts, terms;
  std::vector<std::optional<std::int64_t>> ends;
  std::vector<std::string> queues, nodes;
  std::vector<std::int64_t> jobs, cpu, memory;
  std::vector<std::string> uids, places;
  std::vector<std::optional<std::string>> other, parts, resource_sets, devices,
      own_devices;
  std::vector<bool> whole_nodes, aside;
  std::vector<std::string> pools;
  auto counted_claims = CountedClaims(transaction, placed);
  for (const Placed* group : placed) {
    whole_nodes.push_back(group->sharing.whole_nodes);
    aside.push_back(group->sharing.aside);
    pools.push_back(PoolsText(group->pools));
    allocations.push_back(group->group);
    queues.push_back(group->queue);
    nodes.push_back(NodeArray(NodesOf(*group)));
    starts.push_back(group->start);
    ends.push_back(group->end);
    terms.push_back(leadership_.TermOf(MatchQueue(group->queue)));
    std::set<std::string>& counted = counted_claims[group->group];
    for (std::size_t m = 0; m < group->members.size(); ++m) {
      const PlacedMember& member = group->members[m];
      const cluster::Resources& amounts = member.request->resources;
      parts.push_back(UnlessNone(member.parts));
      devices.push_back(UnlessNone(member.devices));
      own_devices.push_back(OwnDevices(member.devices));
      resource_sets.push_back(group->resource_sets.empty()
                                  ? std::nullopt
                                  : UnlessNone(group->resource_sets[m]));
      jobs.push_back(group->group);
      uids.push_back(member.uid);
      places.push_back(member.node);
      cpu.push_back(amounts.cpu_milli);
      memory.push_back(amounts.memory_bytes);
      other.push_back(OtherResources(*member.request, counted));
      if (sql::BugPlanted("half-gang")) break;
    }
  }
  transaction.Run(queries::kWritePlacements, allocations, queues, nodes, starts,
                  ends, terms, jobs, uids, places, cpu, memory, other,
                  whole_nodes, aside, parts, resource_sets, pools, devices,
                  own_devices);
}

// Not announced: the deciding worker rings a binder of this process at once,
// and a second binder would only race it. Binders of other replicas look once a
// second.
void PostgresMatchStore::InsertBindJobs(
    sql::Transaction& transaction, const std::vector<queue::NewJob>& bind) {
  if (handover_ != nullptr)
    handover_->Insert(transaction, bind);
  else
    jobs_.Insert(transaction, bind, /*announce=*/false);
}

void PostgresMatchStore::CommitAnswers(sql::Transaction& transaction,
                                       const Decision& decision) {
  if (!decision.promised.empty())
    transaction.Run(queries::kNotePromised, decision.promised);
  std::vector<queue::JobResult> results;
  std::vector<GroupId> tried, turned_down;
  for (const GroupId group : decision.turned_down) {
    const auto lease = leases_.find(group);
    if (lease == leases_.end()) continue;
    tried.push_back(group);
    results.push_back({lease->second.job,
                       lease->second.attempt,
                       queue::Outcome::kCompleted,
                       "",
                       {}});
  }
  if (!results.empty()) {
    const std::vector<bool> leased = jobs_.Finish(transaction, results);
    for (std::size_t i = 0; i < tried.size(); ++i)
      if (leased[i]) turned_down.push_back(tried[i]);
  }
  if (!turned_down.empty())
    transaction.Run(queries::kTurnDownGroups, turned_down);
  if (!turned_down.empty() || !decision.promised.empty())
    transaction.Run(queries::kTellCallers);
}

void PostgresMatchStore::CommitReservations(sql::Transaction& transaction,
                                            const Decision& decision,
                                            cluster::Time now) {
  if (!decision.unreserved.empty()) {
    transaction.Run(queries::kDropReservations, decision.unreserved, now);
  }
  if (decision.reserved.empty()) return;
  std::vector<std::int64_t> ids;
  std::vector<std::string> queues, nodes, places, parts, devices;
  std::vector<std::optional<std::int64_t>> starts;
  for (const Reservation& reservation : decision.reserved) {
    ids.push_back(reservation.group);
    queues.push_back(reservation.queue);
    starts.push_back(reservation.start);
    nodes.push_back(NodeArray(reservation.nodes));
    places.push_back(*sql::Parameter(reservation.places).text());
    parts.push_back(NodeArray(reservation.parts));
    devices.push_back(NodeArray(reservation.devices));
  }
  transaction.Run(queries::kRecordReservations, ids, queues, starts, nodes,
                  places, now, parts, devices);
}

}  // namespace fluxnetes::workers
