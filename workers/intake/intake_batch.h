// One transaction of intake: compares some pods in the cluster with their
// records, and writes the differences. It looks at the present state of the
// pods, not at their changes, so a pod may be passed at any time and any number
// of times.
//
//   not recorded, waits     ─▶ provisional, or a latecomer of an active group
//   provisional, bound      ─▶ forgotten: its use counts as that of others
//   provisional, ended      ─▶ forgotten
//   member, bound           ─▶ bound, on the node that the API server shows
//   member, ended or gone   ─▶ noted; `cleanup` releases its place
//   member with new labels  ─▶ leaves, unless a pod of its group is bound
//
// A group that is smaller than its pods ask (stalled_groups.h) and has not
// started is gathered again if another pod of its name comes.
//
// All rows that it depends on are locked first, provisional groups by name,
// then active ones by id, so that neither the promoter nor the match nor a
// binder changes them meanwhile. One object per transaction, on one thread.
// Tests: tests/workers/intake/intake_pgtest.cc,
// tests/workers/intake/intake_groups_pgtest.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "workers/intake/intake_filling.h"
#include "workers/intake/intake_groups.h"
#include "workers/intake/intake_latecomers.h"
#include "workers/intake/intake_members.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {

// A pod as the cluster shows it.
struct ObservedPod {
  enum class Fate { kWaiting, kBound, kSucceeded, kFailed, kGone };
  cluster::PodPointer pod;  // null: gone
  Fate fate = Fate::kGone;
  GroupLabels labels;  // of a waiting pod
};

// A pod as it is recorded.
struct RecordedPod {
  std::int64_t group_id = 0;  // 0: provisional
  std::string namespace_name;
  std::string group_name;
  // The group that it asks for; differs for a surplus pod.
  std::string asked_name;
  std::optional<std::int32_t> group_size;
  std::string queue;
  std::string resource_version;
  bool gated = false;
  std::string refused;
  std::string state;  // provisional, or a state of the table pods
  std::string place;  // the node where it holds amounts; empty: none
  cluster::GroupTopology topology;
  StartTerms start;
  std::string account;
  std::optional<std::int32_t> max_size;
  cluster::InsideTerms inside;
  std::vector<cluster::NodeSelectorTerm> node_affinity;
  std::optional<std::int64_t> duration_seconds;
};

class IntakeBatch {
 public:
  IntakeBatch(sql::Transaction& transaction, queue::WorkQueue& jobs,
              const cluster::ClusterCache& cache, cluster::Time now);

  // Compares the pods of these UIDs with their records and writes the
  // differences. Returns the number of pods that differed.
  int Record(const std::vector<std::string>& uids);
  // The pods whose records differed from the cluster, including pods that were
  // read again because of others.
  const std::vector<std::string>& wrong() const { return wrong_; }

  // Judges and counts the pods of these groups again.
  void Rejudge(const std::vector<std::string>& namespaces,
               const std::vector<std::string>& group_names);

  // Ends the recall of a group. Its unbound pods (`uids`) have been patched;
  // pods in `bound` cannot be taken back, so the group goes on with them.
  void SettleRecalled(std::int64_t group, const std::vector<std::string>& uids,
                      const std::vector<cluster::PodPointer>& bound);

  // Writes the rest; the caller commits.
  void Finish();

  // True if groups changed that the owner of the match must read again, or new
  // match jobs were made.
  bool for_match() const { return groups_.for_match(); }
  // True if there is work for `cleanup`.
  bool ended() const { return groups_.ended(); }
  // True if a group was recalled and waits for the release of its places.
  bool recalled() const { return groups_.recalled(); }

 private:
  ObservedPod Look(const std::string& uid);
  void Observe(const std::vector<std::string>& uids);
  void Read(const std::vector<std::string>& uids);
  const RecordedPod* Find(const std::string& uid) const;
  bool Differs(const std::string& uid) const;
  bool OnlyWantsToLeave(const std::string& uid) const;
  bool IsAhead(const std::string& uid) const;
  std::vector<std::string> Differing(
      const std::vector<std::string>& uids) const;
  void Lock(const std::vector<std::string>& uids);
  void Sort(const std::string& uid);
  void SortMember(const std::string& uid, const ObservedPod& seen,
                  const RecordedPod& record);
  void Put(const ObservedPod& seen, const RecordedPod* record);
  void Refill(const std::vector<DissolvedPod>& pods);
  // Offers pods that wait under the names of these active groups to them; not
  // those with a controller of these kinds.
  void ReceiveAgain(const std::vector<std::int64_t>& groups,
                    const std::vector<std::string>& kinds);

  sql::Transaction& transaction_;
  const cluster::ClusterCache& cache_;
  const cluster::Time now_;
  std::optional<QueueTopologies> topologies_;  // read for the first pod
  std::map<std::string, ObservedPod> seen_;
  std::map<std::string, RecordedPod> recorded_;
  FillingGroups filling_;
  MemberChanges members_;
  GroupChanges groups_;
  Latecomers latecomers_;
  std::set<std::int64_t> touched_;  // groups whose members changed
  std::set<std::int64_t> left_;     // groups that a waiting pod leaves
  std::set<std::int64_t> shrunk_;   // groups with members that ended
  // Groups that are smaller than asked and may be gathered again, by
  // "namespace/name".
  std::map<std::string, std::int64_t> smaller_;
  // Pods of dissolved groups of one that were held or released, and the names
  // of these groups.
  std::vector<std::string> held_uids_, held_namespaces_, held_names_;
  std::vector<std::string> wrong_;
};

}  // namespace fluxnetes::workers
