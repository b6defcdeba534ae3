#include "workers/store/component_snapshot.h"

#include <utility>

#include "cluster/json/request_json.h"
#include "workers/store/account_rows.h"
#include "workers/store/component_queries.h"
#include "workers/store/match_queries.h"
#include "workers/store/match_rows.h"

namespace fluxnetes::workers {
namespace {

// Above this number all requests are forgotten, and with them those no longer
// used.
constexpr std::size_t kMostRequests = 50'000;

}  // namespace

const cluster::PodRequest* RequestTexts::Of(const std::string& text) {
  const auto known = requests_.find(text);
  if (known != requests_.end()) return &known->second;
  const auto [added, is_new] =
      requests_.emplace(text, cluster::PodRequestFromJson(text));
  texts_.emplace(&added->second, &added->first);
  return &added->second;
}

void SnapshotReader::Read(sql::Transaction& transaction) {
  if (snapshot_->requests->size() > kMostRequests) Forget();
  if (snapshot_.use_count() > 1)
    snapshot_ = std::make_shared<ComponentSnapshot>(*snapshot_);
  snapshot_->queues.clear();
  for (const sql::Row row : transaction.Run(queries::kReadQueues, queues_))
    snapshot_->queues.push_back(SettingsIn(row));
  snapshot_->maintenance.clear();
  for (const sql::Row row : transaction.Run(queries::kReadMaintenance))
    snapshot_->maintenance.push_back(WindowIn(row));
  snapshot_->accounts = ReadAccounts(transaction);
  snapshot_->used = ReadUse(transaction, queues_);
  snapshot_->elsewhere.reset();
  if (HasQuotas(snapshot_->accounts))
    snapshot_->elsewhere = ReadOtherHolds(transaction, queues_);
  snapshot_->pools.clear();
  for (const sql::Row row : transaction.Run(queries::kReadPools))
    snapshot_->pools.push_back(PoolIn(row));
  snapshot_->pools_elsewhere.clear();
  if (!snapshot_->pools.empty()) {
    for (const sql::Row row : transaction.Run(queries::kReadPoolHolds, queues_))
      snapshot_->pools_elsewhere.push_back(PoolHoldIn(row));
  }
  snapshot_->nodes.clear();
  for (const sql::Row row :
       transaction.Run(queries::kReadComponentNodes, queues_))
    snapshot_->nodes.push_back(row.Get<std::string>("node_name"));
  snapshot_->promised.clear();
  for (const sql::Row row :
       transaction.Run(queries::kReadReservations, queues_))
    snapshot_->promised.push_back(ReservationIn(row));
  ReadHolders(transaction);
  ReadHoldersOfOthers(transaction);
  ReadWaiting(transaction);
}

std::vector<Held> SnapshotReader::ReadPlaces(sql::Transaction& transaction,
                                             const Groups& groups) {
  if (groups.empty()) return {};
  return HeldIn(transaction.Run(queries::kReadAllocations, groups),
                [this](const std::string& text) {
                  return snapshot_->requests->Of(text);
                });
}

void SnapshotReader::ReadHolders(sql::Transaction& transaction) {
  auto before = std::exchange(snapshot_->holders, {});
  Groups changed;
  for (const sql::Row row : transaction.Run(queries::kReadHolders, queues_)) {
    const auto id = row.Get<std::int64_t>("id");
    const auto places = row.Get<std::int64_t>("places");
    const auto known = before.find(id);
    const bool same =
        known != before.end() && known->second.places == places &&
        known->second.held.start == row.Get<std::int64_t>("starts_at") &&
        known->second.held.end == row.Find<std::int64_t>("ends_at") &&
        known->second.stays == row.Get<bool>("stays") &&
        known->second.held.evicted_for ==
            row.Get<std::int64_t>("preempted_for");
    if (same) {
      snapshot_->holders.insert(before.extract(known));
      continue;
    }
    ComponentSnapshot::Holder& holder = snapshot_->holders[id];
    holder.name = row.Get<std::string>("name");
    holder.places = places;
    holder.stays = row.Get<bool>("stays");
    changed.push_back(id);
  }
  for (Held& held : ReadPlaces(transaction, changed))
    snapshot_->holders.at(held.group).held = std::move(held);
}

void SnapshotReader::ReadHoldersOfOthers(sql::Transaction& transaction) {
  Groups of_others;
  for (const sql::Row row : transaction.Run(
           queries::kReadHoldersOfOtherComponents, queues_, snapshot_->nodes))
    of_others.push_back(row.Get<std::int64_t>("fluxion_job"));
  for (Held& held : ReadPlaces(transaction, of_others)) {
    const GroupId id = held.group;
    held.evictable = false;
    held.of_another_component = true;
    snapshot_->holders[id] = {std::move(held), "", 0, true};
  }
}

void SnapshotReader::ReadWaiting(sql::Transaction& transaction) {
  auto before = std::exchange(snapshot_->waiting, {});
  auto versions = std::exchange(versions_, {});
  auto& waiting = snapshot_->waiting;
  Groups changed;
  for (const sql::Row row :
       transaction.Run(queries::kReadWaitingVersions, queues_)) {
    const auto id = row.Get<std::int64_t>("id");
    auto version = row.Find<std::string>("version");
    const auto known = before.find(id);
    if (version && known != before.end() && versions[id] == *version) {
      waiting.insert(waiting.end(), before.extract(known));
    } else {
      changed.push_back(id);
    }
    if (version) versions_.emplace(id, *std::move(version));
  }
  if (!changed.empty()) ReadChanged(transaction, changed, before);
}

void SnapshotReader::ReadChanged(sql::Transaction& transaction,
                                 const Groups& groups,
                                 std::map<GroupId, PendingGroup>& before) {
  Groups renewed;
  for (const sql::Row row :
       transaction.Run(queries::kReadWaitingGroups, groups)) {
    PendingGroup group = WaitingGroupIn(row);
    const auto known = before.find(group.id);
    if (known != before.end() && known->second.revision == group.revision) {
      group.members = std::move(known->second.members);
      group.topology = known->second.topology;
    } else {
      renewed.push_back(group.id);
    }
    snapshot_->waiting.emplace(group.id, std::move(group));
  }
  if (!renewed.empty()) ReadMembers(transaction, renewed);
}

void SnapshotReader::ReadMembers(sql::Transaction& transaction,
                                 const Groups& groups) {
  for (const sql::Row row :
       transaction.Run(queries::kReadWaitingMembers, groups)) {
    PendingGroup& group =
        snapshot_->waiting.at(row.Get<std::int64_t>("group_id"));
    const auto* request =
        snapshot_->requests->Of(row.Get<std::string>("request"));
    group.members.push_back({row.Get<std::string>("uid"), request});
    if (request->rules.Any())
      group.topology = cluster::OfGroup(request->rules->topology);
  }
}

}  // namespace fluxnetes::workers
