// What becomes of active groups whose members changed, and the jobs and news
// that follow from it.
//
//   lost a member before any was bound
//     pending, unsatisfiable ─▶ dissolved: provisional again, renumbered
//     allocated              ─▶ recalled, until its places are taken back
//     no pod left            ─▶ abandoned: `cleanup` writes its history
//   some bound, others wait for a place ─▶ pending, first in line
//   none waits any more                 ─▶ bound
//
// Part of a transaction of intake, on one thread; the groups are locked.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

// A pod that waits for its group, which was dissolved, to become whole again.
struct DissolvedPod {
  std::string uid;
  std::string namespace_name;
  std::string group_name;  // that of the group
};

class GroupChanges {
 public:
  GroupChanges(sql::Transaction& transaction, queue::WorkQueue& jobs,
               cluster::Time now);

  // Some members of these groups were bound, or ended; a waiting pod wants to
  // leave each of `left`. Returns the pods that wait for their group to become
  // whole again.
  std::vector<DissolvedPod> Settle(const std::set<std::int64_t>& touched,
                                   const std::set<std::int64_t>& left);

  // The group's places have been taken back from all its unbound pods. Returns
  // as Settle() does; nothing if it is not recalled any more.
  std::vector<DissolvedPod> SettleRecalled(std::int64_t group);

  // Members without a place must be matched, first in line.
  void Requeue(const std::vector<std::int64_t>& groups);
  // Waiting members were given a place outside of the match.
  void Rebind(const std::vector<std::int64_t>& groups);

  void Tell(std::int64_t group) { news_.insert(group); }
  void Clean(std::int64_t group) { clean_.insert(group); }
  // Groups were made that ask for places.
  void CallMatch() { for_match_ = true; }
  void Add(std::vector<queue::NewJob> jobs);

  // Writes the news for the owner of the match and the jobs.
  void Finish();

  // Whether there is something for the owner of the match.
  bool for_match() const { return for_match_ || !news_.empty(); }
  // Whether there is work for `cleanup`.
  bool ended() const { return !clean_.empty(); }
  // Whether a group was recalled and waits for its places to be taken back.
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
