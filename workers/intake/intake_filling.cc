#include "workers/intake/intake_filling.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/json/request_json.h"
#include "sql/faults.h"
#include "workers/intake/filling_queries.h"
#include "workers/loops/group_jobs.h"
#include "workers/pods/trace_context.h"

namespace fluxnetes::workers {
namespace {

std::optional<std::string> Unless(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace

void FillingGroups::Put(const cluster::Pod& pod, const GroupLabels& labels,
                        const std::string& refused_before) {
  uids_.push_back(pod.uid);
  namespaces_.push_back(pod.namespace_name);
  names_.push_back(pod.name);
  groups_.push_back(labels.group_name);
  sizes_.push_back(labels.group_size);
  queues_.push_back(labels.queue);
  priorities_.push_back(
      std::max(pod.priority, labels.priority.value_or(pod.priority)));
  requests_.push_back(cluster::ToJson(RequestOf(pod, labels)));
  durations_.push_back(DurationIn(labels));
  indices_.push_back(pod.completion_index);
  const cluster::Owner owner = pod.controller.value_or(cluster::Owner{});
  owner_kinds_.push_back(Unless(owner.kind));
  owner_names_.push_back(Unless(owner.name));
  owner_uids_.push_back(Unless(owner.uid));
  versions_.push_back(pod.resource_version);
  gated_.push_back(pod.gated);
  refusals_.push_back(Unless(labels.refused));
  created_.push_back(pod.created_at);
  starts_after_.push_back(labels.start.after);
  starts_by_.push_back(labels.start.by);
  holds_.push_back(labels.start.hold);
  accounts_.push_back(labels.account);
  graces_.push_back(static_cast<std::int32_t>(pod.grace.count()));
  preempt_.push_back(pod.preempts);
  max_sizes_.push_back(labels.max_size);
  traceparents_.push_back(TraceparentOf(pod));
  users_.push_back(Unless(labels.user));
  if (!labels.refused.empty() && labels.refused != refused_before)
    notices_.push_back(NoticeOf(pod.namespace_name, pod.name, pod.uid,
                                pod.created_at, labels.refused));
  Touch(pod.namespace_name, labels.group_name);
}

void FillingGroups::Drop(const std::string& uid,
                         const std::string& namespace_name,
                         const std::string& group_name, bool deleted) {
  dropped_.push_back(uid);
  Touch(namespace_name, group_name, deleted);
}

void FillingGroups::Touch(const std::string& namespace_name,
                          const std::string& group_name, bool deleted) {
  touched_namespaces_.push_back(namespace_name);
  touched_names_.push_back(group_name);
  touched_by_end_.push_back(deleted);
}

std::vector<queue::NewJob> FillingGroups::Settle(sql::Transaction& transaction,
                                                 cluster::Time now) {
  if (touched_names_.empty()) return {};
  for (const sql::Row row : transaction.Run(
           queries::kJudgeFillingGroups, touched_namespaces_, touched_names_)) {
    const auto refused = row.Find<std::string>("refused");
    if (!refused) continue;
    notices_.push_back(
        NoticeOf(row.Get<std::string>("namespace"),
                 row.Get<std::string>("pod_name"), row.Get<std::string>("uid"),
                 row.Get<cluster::Time>("created_at"), *refused));
  }
  transaction.Run(queries::kRecountFillingGroups, touched_namespaces_,
                  touched_names_, touched_by_end_,
                  sql::BugPlanted("counted-twice"), now);
  return std::move(notices_);
}

void FillingGroups::WritePods(sql::Transaction& transaction) {
  if (!dropped_.empty()) transaction.Run(queries::kDropFillingPods, dropped_);
  if (uids_.empty()) return;
  transaction.Run(queries::kPutFillingPods, uids_, namespaces_, names_, groups_,
                  sizes_, queues_, priorities_, requests_, durations_, indices_,
                  owner_kinds_, owner_names_, owner_uids_, versions_, gated_,
                  refusals_, created_, starts_after_, starts_by_, holds_,
                  accounts_, graces_, preempt_, max_sizes_, traceparents_,
                  users_);
}

}  // namespace fluxnetes::workers
