// Where the match worker's decisions come from and go to: everything that it
// reads and writes, behind a door, so that the same worker runs on PostgreSQL
// and, in the simulator, on memory.
//
// A store is that of one component: the queues that share nodes, and those
// nodes. Whoever works with it owns the component, in terms of `leaders` that
// are all checked with each write. A node is claimed before it is used and let
// go of when nothing of it is used any more; so two components never place pods
// on one node, however late either hears of a label that has changed.
//
// Used by one thread. Throws sql::Error and queue::LostTerm; after either, the
// state in memory may differ from the store and must be loaded anew.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "queue/clients/joint_leadership.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

class MatchStore {
 public:
  using Names = std::vector<std::string>;

  // What has changed since the last call, or, after Load(), everything.
  struct News {
    std::vector<QueueSettings> queues;  // all of them; empty: no change
    std::vector<std::pair<GroupId, std::string>> released;  // group, pod's UID
    std::vector<GroupId> changed;  // forget what is known of them, then:
    std::vector<Held> held;
    std::vector<Held> strangers;  // held by groups of other components
    std::vector<PendingGroup> waiting;
    std::vector<Reservation> promised;  // by the owner before this one
    std::optional<std::vector<MaintenanceWindow>> maintenance;  // if it changed
    std::optional<std::vector<Account>> accounts;               // the same
    UsedByAccounts used;  // by groups, when that was last written
    // By groups of other components, where quotas count over several of them;
    // if it changed.
    std::optional<std::vector<AccountHolds>> elsewhere;
    bool more = false;  // there is more to take at once
    bool Any() const {
      return !queues.empty() || !released.empty() || !changed.empty() ||
             !held.empty() || !waiting.empty() || maintenance || accounts ||
             elsewhere;
    }
  };

  // What came of an attempt to claim nodes.
  struct Claimed {
    Names nodes;                  // those that were free
    std::vector<Held> strangers;  // as ReadStrangers() says
  };

  virtual ~MatchStore() = default;

  // Begins a new term as the owner. False: another owns some of it.
  virtual bool Acquire() = 0;

  // Everything that groups of its queues hold, and the queues, read for a
  // comparison: nothing is taken or leased by it. Nothing if there are news
  // that Take() has not brought yet.
  virtual std::optional<News> Read(Schedule& schedule) = 0;

  // The state as of now, in one snapshot; requests are interned in `schedule`.
  // Groups that a former owner had leased are among those that wait; those that
  // nobody had follow with Take(), until there is no more.
  virtual News Load(Schedule& schedule) = 0;

  // The nodes that the component has; those that it shall have, too; and those
  // that it shall not have any more.
  virtual Names ReadNodes() = 0;
  virtual Claimed Claim(Schedule& schedule, const Names& nodes) = 0;
  // All that groups of other components hold that hold something there.
  virtual std::vector<Held> ReadStrangers(Schedule& schedule,
                                          const Names& nodes) = 0;
  virtual void LetGo(const Names& nodes) = 0;

  // What came since, and what these strangers hold. Takes it in for good: if
  // memory does not follow, Load().
  virtual News Take(Schedule& schedule, const std::set<GroupId>& strangers) = 0;

  // Writes a decision in one transaction. Returns the groups whose placement
  // was refused, because they changed meanwhile or their lease was lost, and
  // those for whom nobody is evicted, since they or those to be evicted have
  // changed: these are among the next news. The rest is committed.
  virtual std::set<GroupId> Commit(const Decision& decision,
                                   cluster::Time now) = 0;

  // Gives the leased groups back to whoever matches next; Resign() then lets
  // others own the component at once.
  virtual void GiveUp() = 0;
  virtual void Resign() = 0;
};

// The store on PostgreSQL.
class PostgresMatchStore : public MatchStore {
 public:
  // The queues of the component.
  PostgresMatchStore(sql::Pool& pool, queue::WorkQueue& jobs,
                     const queue::Client& client, const Names& queues);

  bool Acquire() override;
  std::optional<News> Read(Schedule& schedule) override;
  News Load(Schedule& schedule) override;
  Names ReadNodes() override;
  Claimed Claim(Schedule& schedule, const Names& nodes) override;
  std::vector<Held> ReadStrangers(Schedule& schedule,
                                  const Names& nodes) override;
  void LetGo(const Names& nodes) override;
  News Take(Schedule& schedule, const std::set<GroupId>& strangers) override;
  std::set<GroupId> Commit(const Decision& decision,
                           cluster::Time now) override;
  void GiveUp() override;
  void Resign() override { leadership_.Resign(); }

 private:
  using Leases = std::map<GroupId, std::pair<std::int64_t, int>>;

  std::vector<QueueSettings> ReadQueues(sql::Transaction& transaction);
  static std::vector<MaintenanceWindow> ReadMaintenance(
      sql::Transaction& transaction);
  bool IsOurs(const std::string& queue) const;
  std::vector<Held> ReadStrangers(sql::Transaction& transaction,
                                  Schedule& schedule, const Names& nodes);
  bool TakeInbox(sql::Transaction& transaction, News& news);  // any?
  void TakeLeasesOver();
  void LeaseWaiting(sql::Transaction& transaction, Leases& leases, News& news);
  // The groups of leased match jobs; jobs whose group waits no longer, or
  // waits by another job, are finished.
  std::vector<PendingGroup> ReadWaiting(sql::Transaction& transaction,
                                        Schedule& schedule,
                                        const Leases& leases);
  // Adds the leases of changed groups to those whose groups are read.
  void ReadAgain(sql::Transaction& transaction,
                 const std::vector<GroupId>& changed, Leases& leases);
  // A group as it is while nobody else may change it.
  struct LockedGroup {
    int revision = 0;
    bool has_places = false;  // allocated or bound
    bool cancelled = false;
  };
  using Locked = std::map<GroupId, LockedGroup>;

  // Keeps others from the groups of the decision, in order of their numbers, as
  // all lock them.
  static Locked Lock(sql::Transaction& transaction, const Decision& decision);
  // Those of which the placement still holds; the others keep their jobs, since
  // they are to be read again.
  static std::set<GroupId> Unchanged(const Locked& locked,
                                     const std::vector<Placed>& placed);
  std::set<GroupId> CommitPlacements(sql::Transaction& transaction,
                                     const std::vector<Placed>& placed,
                                     const std::set<GroupId>& unchanged,
                                     cluster::Time now);
  // Of those to be evicted, these would come back with fewer pods.
  static std::set<GroupId> WithSucceeded(sql::Transaction& transaction,
                                         const std::vector<Eviction>& evicted);
  std::set<GroupId> CommitEvictions(sql::Transaction& transaction,
                                    const std::vector<Eviction>& evicted,
                                    const Locked& locked);
  // Whoever starts the pods of `external` groups, they are not bound.
  void WritePlacements(sql::Transaction& transaction,
                       const std::vector<const Placed*>& placed,
                       const std::set<GroupId>& external);
  // Tells those who wait for it, too.
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
  // What others hold, where quotas count it.
  std::optional<std::vector<AccountHolds>> ReadElsewhere(
      sql::Transaction& transaction) const;
  void NoteAccounts(const std::vector<Account>& accounts);
  // Keeps others from taking quota until the transaction ends. False: some has
  // been taken that memory does not know of, where these payers have theirs.
  bool LockQuotas(sql::Transaction& transaction, const HoldsNews& of);

  // Throws if the server may have crashed since Load(): what intake and Take()
  // had committed, and memory follows, may be undone.
  void CheckConnections() const;

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const queue::Client& client_;
  const Names queues_;       // in order
  const Names work_queues_;  // in which their groups wait
  queue::JointLeadership leadership_;
  std::int64_t broken_ = 0;    // connections, at Load()
  Names leased_from_;          // whose marks are to be moved
  Leases leases_;              // of the groups that wait in memory
  bool first_reasons_ = true;  // since Load(): pods may have been told others
  bool has_quotas_ = false;    // any account
  AccountTree accounts_;
  std::optional<std::vector<AccountHolds>> elsewhere_;  // as memory knows it
};

}  // namespace fluxnetes::workers
