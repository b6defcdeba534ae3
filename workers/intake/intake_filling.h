// The provisional tables: pods that wait for the rest of their group. Changes
// are gathered and written by a few statements, however many they are; the
// rows of groups are then made anew from those of their pods, never counted up,
// so that what is told twice changes nothing.
//
// Only intake writes these tables (the promoter takes whole groups out), inside
// one transaction and on one thread.
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
  // Records the pod, or how it has changed. `refused_before` is what it has
  // been told already.
  void Put(const cluster::Pod& pod, const GroupLabels& labels,
           const std::string& refused_before);

  // The pod waits no longer; `deleted`: because it is not there any more.
  void Drop(const std::string& uid, const std::string& namespace_name,
            const std::string& group_name, bool deleted);

  // The group must be judged and counted anew.
  void Touch(const std::string& namespace_name, const std::string& group_name,
             bool deleted = false);

  // Writes the pods that were put and dropped.
  void WritePods(sql::Transaction& transaction);

  // Judges and counts the groups that were touched, after their pods have been
  // written; returns the notices to pods that were refused.
  std::vector<queue::NewJob> Settle(sql::Transaction& transaction,
                                    cluster::Time now);

 private:
  // Pods to put, by columns.
  std::vector<std::string> uids_, namespaces_, names_, groups_, queues_,
      requests_, versions_, accounts_;
  std::vector<std::optional<std::int32_t>> sizes_, max_sizes_;
  std::vector<std::int32_t> priorities_, graces_;
  std::vector<std::optional<std::int64_t>> durations_;
  std::vector<std::optional<int>> indices_;
  std::vector<std::optional<std::string>> owner_kinds_, owner_names_,
      owner_uids_, refusals_, traceparents_;
  std::vector<bool> gated_, holds_, preempt_;
  std::vector<std::optional<cluster::Time>> starts_after_, starts_by_;
  std::vector<cluster::Time> created_;

  std::vector<std::string> dropped_;
  std::vector<std::string> touched_namespaces_, touched_names_;
  std::vector<bool> touched_by_end_;
  std::vector<queue::NewJob> notices_;
};

}  // namespace fluxnetes::workers
