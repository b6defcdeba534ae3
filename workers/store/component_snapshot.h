// A snapshot of one component of queues, read from the database: what a
// schedule would load (match_store.h), as values that refer to nothing else. It
// serves readers other than the component's owner.
//
// A repeated read fetches only what changed: a waiting group's row if its xmin
// differs, its members if its revision differs; a holding group's placements if
// the hash of its pods and nodes, its times or its state differ. So a read
// costs one short row per group, whatever the number of their pods.
//
// Owned by one thread, as are all snapshots of a reader.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sql/connection/transaction.h"
#include "workers/decision/decision.h"
#include "workers/decision/held.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/decision/pool.h"
#include "workers/decision/queue_settings.h"

namespace fluxnetes::workers {

// Distinct requests, each once, with their source text.
class RequestTexts {
 public:
  const cluster::PodRequest* Of(const std::string& text);
  const std::string& TextOf(const cluster::PodRequest* request) const {
    return *texts_.at(request);
  }
  std::size_t size() const { return requests_.size(); }

 private:
  std::unordered_map<std::string, cluster::PodRequest> requests_;
  std::unordered_map<const cluster::PodRequest*, const std::string*> texts_;
};

struct ComponentSnapshot {
  // A group with an allocation. It is read again if its start, its end, the
  // hash of its pods and nodes (`places`), `stays`, or its preemptor differs.
  struct Holder {
    Held held;
    std::string name;  // "namespace/name"; empty: its rows are deleted
    std::int64_t places = 0;
    bool of_another_component = false;  // of another component
    bool stays = false;  // it is neither cancelled nor to be placed again
  };

  std::vector<QueueSettings> queues;
  std::vector<MaintenanceWindow> maintenance;
  std::vector<Account> accounts;
  UsedByAccounts used;  // as last recorded
  // Amounts held by groups of other components, if quotas count them.
  std::optional<std::vector<AccountHolds>> elsewhere;
  std::vector<Pool> pools;
  std::vector<PoolHold> pools_elsewhere;  // by groups of other components
  std::vector<std::string> nodes;         // claimed by the component
  std::map<GroupId, Holder> holders;
  std::map<GroupId, PendingGroup> waiting;
  std::vector<Reservation> promised;
  // The requests of all members. It only grows, so all snapshots share it.
  std::shared_ptr<RequestTexts> requests = std::make_shared<RequestTexts>();
};

class SnapshotReader {
 public:
  explicit SnapshotReader(std::vector<std::string> queues)
      : queues_(std::move(queues)) {}

  // Reads in a transaction that has one snapshot. Throws sql::Error; call
  // Forget() then.
  void Read(sql::Transaction& transaction);
  // Makes the next Read() read everything.
  void Forget() {
    snapshot_ = std::make_shared<ComponentSnapshot>();
    versions_.clear();
  }

  // Returns the state as of the last Read(). A snapshot that a caller keeps is
  // not changed by the next Read().
  std::shared_ptr<const ComponentSnapshot> snapshot() const {
    return snapshot_;
  }

 private:
  using Groups = std::vector<GroupId>;

  void ReadHolders(sql::Transaction& transaction);
  void ReadHoldersOfOthers(sql::Transaction& transaction);
  void ReadWaiting(sql::Transaction& transaction);
  void ReadChanged(sql::Transaction& transaction, const Groups& groups,
                   std::map<GroupId, PendingGroup>& before);
  void ReadMembers(sql::Transaction& transaction, const Groups& groups);
  std::vector<Held> ReadPlaces(sql::Transaction& transaction,
                               const Groups& groups);

  const std::vector<std::string> queues_;
  std::shared_ptr<ComponentSnapshot> snapshot_ =
      std::make_shared<ComponentSnapshot>();
  // The xmin of each group in `waiting`.
  std::unordered_map<GroupId, std::string> versions_;
};

}  // namespace fluxnetes::workers
