// Changes the state of active groups whose members changed, and writes the jobs
// and notifications that follow.
//
//   lost a member before any was bound
//     pending, unsatisfiable ─▶ dissolved: provisional again, renumbered
//     allocated              ─▶ recalled, until its places are released
//     no pod left            ─▶ abandoned: `cleanup` writes its history
//   some bound, others wait for a place ─▶ pending, first in the pending order
//   no member waits any more            ─▶ bound
//
// Part of a transaction of intake, on one thread; the groups are locked.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

// A pod of a dissolved group, which waits for the group to become whole again.
struct DissolvedPod {
  std::string uid;
  std::string namespace_name;
  std::string group_name;  // the name of the group
  // The name of its group of one that was held or released.
  std::optional<std::string> held_alone = {};
};

class GroupChanges {
 public:
  GroupChanges(sql::Transaction& transaction, queue::WorkQueue& jobs,
               cluster::Time now);

  // Decides about groups with members that were bound or ended (`touched`), and
  // groups that a waiting pod wants to leave (`left`). Returns the pods that
  // wait for their group to become whole again.
  std::vector<DissolvedPod> Settle(const std::set<std::int64_t>& touched,
                                   const std::set<std::int64_t>& left);

  // Continues a recalled group whose unbound pods have all been patched.
  // Returns as Settle() does; nothing if the group is not recalled any more.
  std::vector<DissolvedPod> SettleRecalled(std::int64_t group);

  // Sends members without a place to the match, first in the pending order.
  void Requeue(const std::vector<std::int64_t>& groups);
  // Makes a bind job for groups whose waiting members were given a place
  // outside of the match.
  void Rebind(const std::vector<std::int64_t>& groups);

  void Tell(std::int64_t group) { news_.insert(group); }
  void Clean(std::int64_t group) { clean_.insert(group); }
  // Notes that new match jobs were made.
  void CallMatch() { for_match_ = true; }
  void Add(std::vector<queue::NewJob> jobs);

  // Writes the changes for the owner of the match, and the jobs.
  void Finish();

  // True if the owner of the match has something to read.
  bool for_match() const { return for_match_ || !news_.empty(); }
  // True if there is work for `cleanup`.
  bool ended() const { return !clean_.empty(); }
  // True if a group was recalled and waits for the release of its places.
  bool recalled() const { return recalled_; }

 private:
  struct Standing;
  std::vector<Standing> Read(const std::vector<std::int64_t>& groups);
  void Decide(const Standing& group, bool left);
  std::vector<DissolvedPod> Write();

  sql::Transaction& transaction_;
  queue::WorkQueue& queue_;
  const cluster::Time now_;
  std::vector<std::int64_t> recall_, dissolve_, abandon_, requeue_, start_;
  std::set<std::int64_t> news_, clean_;
  std::vector<queue::NewJob> jobs_;
  bool recalled_ = false;
  bool for_match_ = false;
};

}  // namespace fluxnetes::workers
