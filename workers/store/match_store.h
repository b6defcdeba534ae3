// The store behind a match worker: all that it reads and writes, behind one
// interface, so that the same worker runs on PostgreSQL and, for forecasts, on
// memory.
//
// A store serves one component: the queues that share nodes, and those nodes.
// Its user owns the component, by terms of `leaders` that are all checked with
// each write. A node is claimed before its first use and given up after its
// last, so two components never place pods on one node, however late either
// learns of a changed label.
//
// Pools of the whole cluster are shared by all components. A label of any pod
// may name a pool, so components that use one pool are not joined: a user could
// join them all. Instead each knows what the groups of the others hold. A
// commit that places groups with pools is alone at that, and refuses these
// groups if the others hold more of the pools than was known. So together they
// never hold more than there is. Reservations of other components are not
// known.
//
// Used by one thread. Throws sql::Error and queue::LostTerm; after either, the
// state in memory may differ from the store and must be loaded again.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "queue/clients/handover.h"
#include "queue/clients/joint_leadership.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "workers/decision/decision.h"
#include "workers/decision/held.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/decision/pool.h"
#include "workers/decision/queue_settings.h"
#include "workers/decision/request_maker.h"

namespace fluxnetes::workers {

class MatchStore {
 public:
  using Names = std::vector<std::string>;

  // The changes since the last call or, after Load(), the whole state.
  struct News {
    std::vector<QueueSettings> queues;  // all of them; empty: no change
    std::vector<std::pair<GroupId, std::string>> released;  // group, pod's UID
    // Groups to forget, before those below are added.
    std::vector<GroupId> changed;
    std::vector<Held> held;
    std::vector<Held> of_others;  // of groups of other components
    std::vector<PendingGroup> waiting;
    std::vector<Reservation> promised;  // by the previous owner
    std::optional<std::vector<MaintenanceWindow>> maintenance;  // if it changed
    std::optional<std::vector<Account>> accounts;  // if they changed
    UsedByAccounts used;                           // as last recorded
    std::optional<std::vector<Pool>> pools;        // if they changed
    // What groups of other components hold of pools, if it changed.
    std::optional<std::vector<PoolHold>> pools_elsewhere;
    // Amounts held by groups of other components, if quotas count them and they
    // changed.
    std::optional<std::vector<AccountHolds>> elsewhere;
    bool more = false;  // there is more to take at once
    bool Any() const {
      return !queues.empty() || !released.empty() || !changed.empty() ||
             !held.empty() || !waiting.empty() || maintenance || accounts ||
             elsewhere || pools || pools_elsewhere;
    }
  };

  // The outcome of an attempt to claim nodes.
  struct Claimed {
    Names nodes;                  // those that were free
    std::vector<Held> of_others;  // as ReadHoldersOfOthers() returns them
  };

  virtual ~MatchStore() = default;

  // Begins a new term as the owner. Returns false if another client owns some
  // of the queues.
  virtual bool Acquire() = 0;

  // Reads the queues and all allocations of their groups, for a comparison; it
  // takes and leases nothing. Returns nothing if Take() has not delivered all
  // changes yet.
  virtual std::optional<News> Read(const RequestMaker& requests) = 0;

  // Returns the present state, from one snapshot. It includes the waiting
  // groups that a former owner had leased. The groups not leased before follow
  // with Take(), until it has no more.
  virtual News Load(const RequestMaker& requests) = 0;

  // ReadNodes() returns the component's nodes. Claim() takes further nodes for
  // it; LetGo() gives nodes up.
  virtual Names ReadNodes() = 0;
  virtual Claimed Claim(const RequestMaker& requests, const Names& nodes) = 0;
  // Returns all that groups of other components hold if they hold something on
  // these nodes.
  virtual std::vector<Held> ReadHoldersOfOthers(const RequestMaker& requests,
                                                const Names& nodes) = 0;
  virtual void LetGo(const Names& nodes) = 0;

  // Returns the changes since the last call, and what these groups of other
  // components hold. The changes are consumed: if memory cannot apply them,
  // call Load().
  virtual News Take(const RequestMaker& requests,
                    const std::set<GroupId>& of_others) = 0;

  // Writes a decision in one transaction. Returns the groups that were refused:
  // those whose placement was made for an old revision or without a lease, and
  // those whose evictions are void since the group or a victim has changed.
  // They are among the next changes. The rest is committed.
  virtual std::set<GroupId> Commit(const Decision& decision,
                                   cluster::Time now) = 0;

  // GiveUp() returns the leased groups to the work queue; Resign() then lets
  // other clients own the component at once.
  virtual void GiveUp() = 0;
  virtual void Resign() = 0;
};

// The store on PostgreSQL.
class PostgresMatchStore : public MatchStore {
 public:
  // `queues`: those of the component. With a handover, match jobs come from the
  // intake of this process, and bind jobs go to its binders, without a lease.
  PostgresMatchStore(sql::Pool& pool, queue::WorkQueue& jobs,
                     const queue::Client& client, const Names& queues,
                     queue::Handover* handover = nullptr);

  bool Acquire() override;
  std::optional<News> Read(const RequestMaker& requests) override;
  News Load(const RequestMaker& requests) override;
  Names ReadNodes() override;
  Claimed Claim(const RequestMaker& requests, const Names& nodes) override;
  std::vector<Held> ReadHoldersOfOthers(const RequestMaker& requests,
                                        const Names& nodes) override;
  void LetGo(const Names& nodes) override;
  News Take(const RequestMaker& requests,
            const std::set<GroupId>& of_others) override;
  std::set<GroupId> Commit(const Decision& decision,
                           cluster::Time now) override;
  void GiveUp() override;
  void Resign() override;

 private:
  // A match job that this client has leased.
  struct Lease {
    std::int64_t job = 0;
    int attempt = 0;
    bool operator==(const Lease&) const = default;
  };
  // The leased match jobs of groups. A group has several when it asked again
  // before an earlier job was done; its row names the one that counts.
  using Leases = std::map<GroupId, std::vector<Lease>>;

  std::vector<QueueSettings> ReadQueues(sql::Transaction& transaction);
  static std::vector<MaintenanceWindow> ReadMaintenance(
      sql::Transaction& transaction);
  bool IsOurs(const std::string& queue) const;
  std::vector<Held> ReadHoldersOfOthers(sql::Transaction& transaction,
                                        const RequestMaker& requests,
                                        const Names& nodes);
  // Returns true if there were rows.
  bool TakeInbox(sql::Transaction& transaction, News& news);
  void TakeLeasesOver();
  void LeaseWaiting(sql::Transaction& transaction, Leases& leases, News& news);
  static void AddLease(Leases& leases, GroupId group, Lease lease);
  // Takes the match jobs that were handed over. Returns true if there were any.
  bool TakeHanded(Leases& leases, News& news);
  void DropHanded();
  // Reads the groups of leased match jobs, and keeps in memory the job that
  // each group waits with. A group may have no member without a place at the
  // moment: it keeps its job, as whoever adds a member relies on it.
  std::vector<PendingGroup> ReadWaiting(sql::Transaction& transaction,
                                        const RequestMaker& requests,
                                        const Leases& leases);
  // Finishes jobs whose group no longer waits, or waits with another job.
  void FinishUseless(sql::Transaction& transaction, const Leases& leases);
  // Moves from memory the leases of groups that changed, so that these are read
  // again. Groups that were leased again have changed too.
  void AddKnownLeases(Leases& leases, std::vector<GroupId>& changed);
  // The state of a group whose row is locked.
  struct LockedGroup {
    int revision = 0;
    bool has_places = false;  // allocated or bound
    bool cancelled = false;
  };
  using Locked = std::map<GroupId, LockedGroup>;

  // Locks the rows of the decision's groups in order of their ids, as all
  // components do.
  static Locked Lock(sql::Transaction& transaction, const Decision& decision);
  // Returns the groups whose revision is still the one that was placed. The
  // others keep their match jobs and are read again.
  static std::set<GroupId> Unchanged(const Locked& locked,
                                     const std::vector<Placed>& placed);
  std::set<GroupId> CommitPlacements(sql::Transaction& transaction,
                                     const std::vector<Placed>& placed,
                                     const std::set<GroupId>& unchanged,
                                     cluster::Time now,
                                     std::vector<queue::NewJob>& bind);
  // Returns the victims with a succeeded pod: these would come back with fewer
  // pods.
  static std::set<GroupId> WithSucceeded(sql::Transaction& transaction,
                                         const std::vector<Eviction>& evicted);
  std::set<GroupId> CommitEvictions(sql::Transaction& transaction,
                                    const std::vector<Eviction>& evicted,
                                    const Locked& locked);
  void WritePlacements(sql::Transaction& transaction,
                       const std::vector<const Placed*>& placed) const;
  void InsertBindJobs(sql::Transaction& transaction,
                      const std::vector<queue::NewJob>& bind);
  // Records the answers to callers, and notifies the callers.
  void CommitAnswers(sql::Transaction& transaction, const Decision& decision);
  void CommitVerdicts(sql::Transaction& transaction,
                      const std::vector<Verdict>& verdicts, cluster::Time now);
  void CommitReservations(sql::Transaction& transaction,
                          const Decision& decision, cluster::Time now);
  void CommitReasons(sql::Transaction& transaction,
                     const std::vector<WaitReason>& reasons, cluster::Time now);
  static void CommitUse(sql::Transaction& transaction,
                        const std::vector<AccountUse>& used, cluster::Time now);

  static void CommitHolds(sql::Transaction& transaction, const Names& queues,
                          const HoldsNews& news);
  // Returns what groups of other queues hold, if quotas count it.
  std::optional<std::vector<AccountHolds>> ReadElsewhere(
      sql::Transaction& transaction) const;
  void NoteAccounts(const std::vector<Account>& accounts);
  // Prevents other components from taking quota until the transaction ends.
  // Returns false if unknown amounts were taken since the last read, from
  // quotas of the payers in `of`.
  bool LockQuotas(sql::Transaction& transaction, const HoldsNews& of);

  static std::vector<Pool> ReadPools(sql::Transaction& transaction);
  // What groups of other components hold of pools; nothing if there are none.
  // Sorted.
  std::vector<PoolHold> ReadPoolHolds(sql::Transaction& transaction) const;
  // Prevents other components from placing groups with pools until the
  // transaction ends. Returns the placed groups with a pool of which others
  // have taken more since the last read.
  std::set<GroupId> LockPools(sql::Transaction& transaction,
                              const std::vector<Placed>& placed) const;

  // Throws if the server may have crashed since Load(): commits of intake and
  // Take() that memory contains may be undone.
  void CheckConnections() const;

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const queue::Client& client_;
  queue::Handover* const handover_;
  const Names queues_;       // in order
  const Names work_queues_;  // in which their groups wait
  queue::JointLeadership leadership_;
  std::int64_t broken_ = 0;  // broken connections at Load()
  Names leased_from_;        // whose lease marks must be moved
  std::chrono::steady_clock::time_point next_look_{};  // at waiting match jobs
  std::map<GroupId, Lease> leases_;  // of the waiting groups in memory
  bool first_reasons_ = true;  // since Load(): pods may have other reasons
  bool has_quotas_ = false;    // of any account
  bool has_pools_ = false;     // in the cluster
  std::vector<PoolHold> pool_holds_;  // elsewhere, as known in memory
  AccountTree accounts_;
  std::optional<std::vector<AccountHolds>> elsewhere_;  // as known in memory
};

}  // namespace fluxnetes::workers
