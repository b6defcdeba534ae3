// Where the match worker's decisions come from and go to: everything that it
// reads and writes, behind a door, so that the same worker runs on PostgreSQL
// and, in the simulator, on memory.
//
// Used by one thread. Throws sql::Error and queue::LostTerm; after either, the
// state in memory may differ from the store and must be loaded anew.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "queue/leadership.h"
#include "queue/work_queue.h"
#include "sql/pool.h"
#include "workers/decision.h"
#include "workers/schedule.h"

namespace fluxnetes::workers {

// What people see of a node: its copy in the table `nodes`.
struct NodeReport {
  cluster::Node node;
  cluster::Resources foreign;
  bool operator==(const NodeReport&) const = default;
};

class MatchStore {
 public:
  // What has changed since the last call, or, after Load(), everything.
  struct News {
    std::vector<QueueSettings> queues;  // all of them; empty: no change
    std::vector<std::pair<GroupId, std::string>> released;  // group, pod's UID
    std::vector<GroupId> changed;  // forget what is known of them, then:
    std::vector<Held> held;
    std::vector<PendingGroup> waiting;
    bool more = false;  // there is more to take at once
  };

  virtual ~MatchStore() = default;

  // The state as of now, in one snapshot; requests are interned in `schedule`.
  virtual News Load(Schedule& schedule, std::int64_t term) = 0;

  // What came since. Takes it in for good: if memory does not follow, Load().
  virtual News Take(Schedule& schedule, std::int64_t term) = 0;

  // Writes a decision in one transaction. Returns the groups whose placement
  // was refused, because they changed meanwhile or their lease was lost; the
  // rest is committed.
  virtual std::set<GroupId> Commit(const Decision& decision, std::int64_t term,
                                   cluster::Time now) = 0;

  // Gives the leased groups back to whoever matches next.
  virtual void GiveUp() = 0;

  virtual void WriteNodes(const std::vector<NodeReport>& changed,
                          const std::vector<std::string>& gone, bool all,
                          cluster::Time now) = 0;
};

// The store on PostgreSQL.
class PostgresMatchStore : public MatchStore {
 public:
  PostgresMatchStore(sql::Pool& pool, queue::WorkQueue& jobs,
                     const queue::Client& client,
                     queue::Leadership& leadership);

  News Load(Schedule& schedule, std::int64_t term) override;
  News Take(Schedule& schedule, std::int64_t term) override;
  std::set<GroupId> Commit(const Decision& decision, std::int64_t term,
                           cluster::Time now) override;
  void GiveUp() override;
  void WriteNodes(const std::vector<NodeReport>& changed,
                  const std::vector<std::string>& gone, bool all,
                  cluster::Time now) override;

 private:
  using Leases = std::map<GroupId, std::pair<std::int64_t, int>>;

  std::vector<QueueSettings> ReadQueues(sql::Transaction& transaction);
  std::vector<Held> ReadHeld(sql::Transaction& transaction, Schedule& schedule,
                             const std::vector<GroupId>* groups);
  // The groups of leased match jobs; jobs whose group waits no longer, or
  // waits by another job, are finished.
  std::vector<PendingGroup> ReadWaiting(sql::Transaction& transaction,
                                        Schedule& schedule,
                                        const Leases& leases);
  // Adds the leases of changed groups to those whose groups are read.
  void ReadAgain(sql::Transaction& transaction,
                 const std::vector<GroupId>& changed, Leases& leases);
  // Keeps others from the groups of the decision, in order of their numbers, as
  // all lock them. Returns those of which the placement still holds; the others
  // keep their jobs, since they are to be read again.
  std::set<GroupId> Lock(sql::Transaction& transaction,
                         const Decision& decision);
  std::set<GroupId> CommitPlacements(sql::Transaction& transaction,
                                     const std::vector<Placed>& placed,
                                     const std::set<GroupId>& unchanged,
                                     std::int64_t term, cluster::Time now);
  void CommitVerdicts(sql::Transaction& transaction,
                      const std::vector<Verdict>& verdicts);
  void CommitReservations(sql::Transaction& transaction,
                          const Decision& decision, cluster::Time now);
  void CommitReasons(sql::Transaction& transaction,
                     const std::vector<WaitReason>& reasons, cluster::Time now);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const queue::Client& client_;
  queue::Leadership& leadership_;
  std::vector<std::string> queue_names_;
  std::vector<std::string> leased_from_;  // whose marks are to be moved
  Leases leases_;                         // of the groups that wait in memory
};

}  // namespace fluxnetes::workers
