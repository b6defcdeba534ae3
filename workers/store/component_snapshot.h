// A component of queues as its records say that it is: what a schedule would
// load of it (match_store.h), as values that stand for themselves. For those
// who look at it beside its owner.
//
// It is read again and again, and only what has changed: of a waiting group,
// what was written since (its rows have another xmin), and its members if it
// has another revision; the members of one that holds places if these are other
// ones. So a look costs as many short rows as there are groups, however many
// pods these have.
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
#include "workers/decision/maintenance_windows.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

// Distinct requests, each once, with the text that they were read from.
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
  // Of who holds something. What of it is compared is from when until when,
  // which pods are where, and whether the group may be evicted, or is.
  struct Holder {
    Held held;
    std::string name;  // "namespace/name"; empty: its group is gone
    std::int64_t places = 0;
    bool stranger = false;  // of another component
    bool stays = false;     // it is neither cancelled nor to be placed anew
  };

  std::vector<QueueSettings> queues;
  std::vector<MaintenanceWindow> maintenance;
  std::vector<Account> accounts;
  UsedByAccounts used;  // when that was last written
  // By groups of other components, where quotas count it.
  std::optional<std::vector<AccountHolds>> elsewhere;
  std::vector<std::string> nodes;  // that it has
  std::map<GroupId, Holder> holders;
  std::map<GroupId, PendingGroup> waiting;
  std::vector<Reservation> promised;
  // Of all members; only added to, so snapshots have it together.
  std::shared_ptr<RequestTexts> requests = std::make_shared<RequestTexts>();
};

class SnapshotReader {
 public:
  explicit SnapshotReader(std::vector<std::string> queues)
      : queues_(std::move(queues)) {}

  // In a transaction that sees one moment. Throws sql::Error; then call
  // Forget().
  void Read(sql::Transaction& transaction);
  // The next call reads everything.
  void Forget() {
    snapshot_ = std::make_shared<ComponentSnapshot>();
    versions_.clear();
  }

  // As of the last Read(). What somebody keeps of it is not changed by the next
  // one.
  std::shared_ptr<const ComponentSnapshot> snapshot() const {
    return snapshot_;
  }

 private:
  using Groups = std::vector<GroupId>;

  void ReadHolders(sql::Transaction& transaction);
  void ReadStrangers(sql::Transaction& transaction);
  void ReadWaiting(sql::Transaction& transaction);
  void ReadChanged(sql::Transaction& transaction, const Groups& groups,
                   std::map<GroupId, PendingGroup>& before);
  void ReadMembers(sql::Transaction& transaction, const Groups& groups);
  std::vector<Held> ReadPlaces(sql::Transaction& transaction,
                               const Groups& groups);

  const std::vector<std::string> queues_;
  std::shared_ptr<ComponentSnapshot> snapshot_ =
      std::make_shared<ComponentSnapshot>();
  std::unordered_map<GroupId, std::string> versions_;  // of `waiting`
};

}  // namespace fluxnetes::workers
