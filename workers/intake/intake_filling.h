// Writes the provisional tables: pods that wait for the rest of their group.
// Changes are collected and written by a few statements, however many there
// are. The rows of groups are then recomputed from those of their pods, not
// incremented, so that a repeated change has no effect.
//
// Only intake writes these tables (the promoter takes whole groups out), inside
// one transaction and on one thread.
// Tests: tests/workers/intake/intake_pgtest.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "queue/jobs/job.h"
#include "sql/connection/transaction.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {

class FillingGroups {
 public:
  // Records a new or changed pod. `refused_before`: the refusal that was last
  // reported to it; empty: none.
  void Put(const cluster::Pod& pod, const GroupLabels& labels,
           const std::string& refused_before);

  // Removes a pod that no longer waits. `deleted`: it no longer exists.
  void Drop(const std::string& uid, const std::string& namespace_name,
            const std::string& group_name, bool deleted);

  // Marks a group to be judged and counted again.
  void Touch(const std::string& namespace_name, const std::string& group_name,
             bool deleted = false);

  // Writes the added and removed pods.
  void WritePods(sql::Transaction& transaction);

  // Judges and counts the marked groups, after their pods have been written.
  // Returns the notices to refused pods.
  std::vector<queue::NewJob> Settle(sql::Transaction& transaction,
                                    cluster::Time now);

 private:
  // Pods to write, by columns.
  std::vector<std::string> uids_, namespaces_, names_, groups_, queues_,
      requests_, versions_, accounts_;
  std::vector<std::optional<std::int32_t>> sizes_, max_sizes_;
  std::vector<std::int32_t> priorities_, graces_;
  std::vector<std::optional<std::int64_t>> durations_;
  std::vector<std::optional<int>> indices_;
  std::vector<std::optional<std::string>> owner_kinds_, owner_names_,
      owner_uids_, refusals_, traceparents_, users_;
  std::vector<bool> gated_, holds_, preempt_;
  std::vector<std::optional<cluster::Time>> starts_after_, starts_by_;
  std::vector<cluster::Time> created_;

  std::vector<std::string> dropped_;
  std::vector<std::string> touched_namespaces_, touched_names_;
  std::vector<bool> touched_by_end_;
  std::vector<queue::NewJob> notices_;
};

}  // namespace fluxnetes::workers
