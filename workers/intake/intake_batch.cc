#include "workers/intake/intake_batch.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/json/request_json.h"
#include "workers/intake/filling_queries.h"
#include "workers/intake/members_queries.h"
#include "workers/loops/groups_queries.h"
#include "workers/pods/topology_labels.h"
#include "workers/pods/version_number.h"

namespace fluxnetes::workers {
namespace {

using Fate = ObservedPod::Fate;

Fate FateOf(const cluster::Pod* pod) {
  if (pod == nullptr) return Fate::kGone;
  if (pod->phase == cluster::PodPhase::kSucceeded) return Fate::kSucceeded;
  if (pod->phase == cluster::PodPhase::kFailed) return Fate::kFailed;
  if (!pod->node_name.empty()) return Fate::kBound;
  return pod->terminating ? Fate::kGone : Fate::kWaiting;
}

std::string StateOf(Fate fate) {
  if (fate == Fate::kSucceeded) return "succeeded";
  return fate == Fate::kFailed ? "failed" : "deleted";
}

// True if the jobspec of the pod's Job gives it another duration or other nodes
// than recorded.
bool AsksOtherwise(const ObservedPod& seen, const RecordedPod& record) {
  if (DurationIn(seen.labels) != record.duration_seconds) return true;
  if (seen.labels.nodes.empty())
    return seen.pod->request.node_affinity != record.node_affinity;
  return RequestOf(*seen.pod, seen.labels).node_affinity !=
         record.node_affinity;
}

// True if objects that the pod refers to now give it another group than
// recorded, though the pod has not changed. The judgement of its group is not
// considered.
bool IsRegrouped(const ObservedPod& seen, const RecordedPod& record) {
  const GroupLabels& labels = seen.labels;
  if (labels.group_name != record.group_name ||
      labels.group_size != record.group_size ||
      labels.max_size != record.max_size || labels.queue != record.queue ||
      !IsSameTopology(labels.topology, record.topology) ||
      labels.inside != record.inside || AsksOtherwise(seen, record))
    return true;
  return !labels.refused.empty() && labels.refused != record.refused &&
         !record.refused.starts_with("cancelled: ");
}

// True if the labels of a waiting member select another group than its own. A
// surplus pod keeps its group of one while they select the same group.
bool Leaves(const ObservedPod& seen, const RecordedPod& record) {
  const GroupLabels& labels = seen.labels;
  if (!labels.refused.empty() || labels.group_name != record.asked_name)
    return true;
  const bool surplus = record.asked_name != record.group_name;
  return labels.queue != record.queue ||
         !IsSameTopology(labels.topology, record.topology) ||
         labels.inside != record.inside || labels.start != record.start ||
         labels.account != record.account || AsksOtherwise(seen, record) ||
         (!surplus && (labels.group_size != record.group_size ||
                       labels.max_size != record.max_size));
}

}  // namespace

ObservedPod IntakeBatch::Look(const std::string& uid) {
  ObservedPod seen;
  seen.pod = cache_.PodByUid(uid);
  seen.fate = FateOf(seen.pod.get());
  if (seen.fate != Fate::kWaiting) return seen;
  if (!topologies_) {
    topologies_.emplace();
    for (const sql::Row row : transaction_.Run(queries::kReadQueueTopologies))
      (*topologies_)[row.Get<std::string>("name")] =
          nlohmann::json::parse(row.Get<std::string>("topology"))
              .get<TopologyOrder>();
  }
  seen.labels = ReadGroupTerms(*seen.pod, cache_, &*topologies_);
  return seen;
}

IntakeBatch::IntakeBatch(sql::Transaction& transaction, queue::WorkQueue& jobs,
                         const cluster::ClusterCache& cache, cluster::Time now)
    : transaction_(transaction),
      cache_(cache),
      now_(now),
      groups_(transaction, jobs, now),
      latecomers_(transaction, jobs, cache, now) {}

int IntakeBatch::Record(const std::vector<std::string>& uids) {
  Observe(uids);
  Read(uids);
  std::vector<std::string> differing = Differing(uids);
  if (differing.empty()) return 0;
  Lock(differing);
  std::vector<std::string> recorded;
  std::ranges::copy_if(
      differing, std::back_inserter(recorded),
      [this](const std::string& uid) { return recorded_.contains(uid); });
  if (!recorded.empty()) {
    std::set<std::string> again(recorded.begin(), recorded.end());
    for (const sql::Row row :
         transaction_.Run(queries::kReadUnstartedMembers, recorded))
      again.insert(row.Get<std::string>("uid"));
    recorded.assign(again.begin(), again.end());
    Observe(recorded);
    Read(recorded);
    again.insert(differing.begin(), differing.end());
    differing = Differing({again.begin(), again.end()});
  }
  for (const std::string& uid : differing) Sort(uid);
  for (const std::int64_t group : members_.Write(transaction_, now_))
    groups_.Tell(group);
  Refill(groups_.Settle(touched_, left_));
  filling_.WritePods(transaction_);
  if (!shrunk_.empty())
    ReceiveAgain({shrunk_.begin(), shrunk_.end()}, PodMakingKinds());
  latecomers_.Receive(groups_);
  std::ranges::copy_if(differing, std::back_inserter(wrong_),
                       [this](const std::string& uid) {
                         return !OnlyWantsToLeave(uid) && !IsAhead(uid);
                       });
  return static_cast<int>(std::ssize(differing));
}

// A waiting member with other labels stays while a pod of its group is bound,
// at each comparison.
bool IntakeBatch::OnlyWantsToLeave(const std::string& uid) const {
  const ObservedPod& seen = seen_.at(uid);
  const RecordedPod* record = Find(uid);
  return record != nullptr && record->state == "waiting" &&
         seen.fate == Fate::kWaiting &&
         seen.pod->resource_version == record->resource_version;
}

// Writes of this scheduler to a waiting pod are recorded with the answer, which
// may be before the watch reports them.
bool IntakeBatch::IsAhead(const std::string& uid) const {
  const ObservedPod& seen = seen_.at(uid);
  const RecordedPod* record = Find(uid);
  return record != nullptr && seen.fate == Fate::kWaiting &&
         (record->state == "provisional" || record->state == "waiting") &&
         VersionNumber(record->resource_version) >
             VersionNumber(seen.pod->resource_version);
}

void IntakeBatch::Observe(const std::vector<std::string>& uids) {
  for (const std::string& uid : uids) {
    if (!seen_.contains(uid)) seen_.emplace(uid, Look(uid));
  }
}

void IntakeBatch::Read(const std::vector<std::string>& uids) {
  for (const std::string& uid : uids) recorded_.erase(uid);
  for (const sql::Row row : transaction_.Run(queries::kReadRecordedPods, uids))
    recorded_[row.Get<std::string>("uid")] = {
        row.Find<std::int64_t>("group_id").value_or(0),
        row.Get<std::string>("namespace"),
        row.Get<std::string>("group_name"),
        row.Get<std::string>("asked_name"),
        row.Find<std::int32_t>("group_size"),
        row.Get<std::string>("queue"),
        row.Get<std::string>("resource_version"),
        row.Get<bool>("gated"),
        row.Find<std::string>("refused").value_or(""),
        row.Get<std::string>("state"),
        row.Find<std::string>("place").value_or(""),
        cluster::TopologyFromJson(
            row.Find<std::string>("topology").value_or("")),
        {row.Find<cluster::Time>("start_after"),
         row.Find<cluster::Time>("start_by"), row.Get<bool>("hold")},
        row.Get<std::string>("account"),
        row.Find<std::int32_t>("max_size"),
        cluster::InsideFromJson(row.Find<std::string>("inside").value_or("")),
        cluster::NodeAffinityFromJson(
            row.Find<std::string>("node_affinity").value_or("")),
        row.Find<std::int64_t>("duration_seconds")};
}

const RecordedPod* IntakeBatch::Find(const std::string& uid) const {
  const auto found = recorded_.find(uid);
  return found == recorded_.end() ? nullptr : &found->second;
}

bool IntakeBatch::Differs(const std::string& uid) const {
  const ObservedPod& seen = seen_.at(uid);
  const RecordedPod* record = Find(uid);
  const bool waits = seen.fate == Fate::kWaiting;
  if (record == nullptr) return waits;
  if (record->state == "provisional" || record->state == "waiting") {
    if (!waits || seen.pod->resource_version != record->resource_version)
      return true;
    return record->group_id == 0 ? IsRegrouped(seen, *record)
                                 : Leaves(seen, *record);
  }
  if (record->state != "bound" || waits) return false;
  return seen.fate != Fate::kBound || seen.pod->node_name != record->place;
}

std::vector<std::string> IntakeBatch::Differing(
    const std::vector<std::string>& uids) const {
  std::vector<std::string> differing;
  std::ranges::copy_if(uids, std::back_inserter(differing),
                       [this](const std::string& uid) { return Differs(uid); });
  return differing;
}

void IntakeBatch::Lock(const std::vector<std::string>& uids) {
  std::vector<std::string> namespaces, names;
  for (const std::string& uid : uids) {
    const ObservedPod& seen = seen_.at(uid);
    if (seen.fate != Fate::kWaiting) continue;
    namespaces.push_back(seen.pod->namespace_name);
    names.push_back(seen.labels.group_name);
  }
  transaction_.Run(queries::kLockFillingGroups, namespaces, names, uids);
  for (const sql::Row row :
       transaction_.Run(queries::kLockActiveGroups, uids, namespaces, names,
                        std::vector<std::int64_t>())) {
    if (const auto name = row.Find<std::string>("smaller"))
      smaller_[*name] = row.Get<std::int64_t>("id");
  }
}

void IntakeBatch::Sort(const std::string& uid) {
  const ObservedPod& seen = seen_.at(uid);
  const RecordedPod* record = Find(uid);
  if (record == nullptr) {
    Put(seen, nullptr);
  } else if (record->group_id != 0) {
    SortMember(uid, seen, *record);
  } else if (seen.fate != Fate::kWaiting) {
    filling_.Drop(uid, record->namespace_name, record->group_name,
                  seen.fate != Fate::kBound);
  } else {
    if (seen.labels.group_name != record->group_name)
      filling_.Touch(record->namespace_name, record->group_name);
    Put(seen, record);
  }
}

void IntakeBatch::SortMember(const std::string& uid, const ObservedPod& seen,
                             const RecordedPod& record) {
  if (seen.fate == Fate::kWaiting) {
    members_.SetVersion(uid, seen.pod->resource_version);
    if (Leaves(seen, record)) left_.insert(record.group_id);
    return;
  }
  touched_.insert(record.group_id);
  if (seen.fate == Fate::kBound) {
    members_.Bind(seen.pod);
    return;
  }
  members_.End(uid, StateOf(seen.fate), seen.pod);
  if (record.group_size > 1) shrunk_.insert(record.group_id);
  groups_.Clean(record.group_id);
}

void IntakeBatch::Put(const ObservedPod& seen, const RecordedPod* record) {
  filling_.Put(*seen.pod, seen.labels, record ? record->refused : "");
  const bool counts = seen.labels.refused.empty() && !seen.pod->gated;
  const bool counted = record != nullptr && !record->gated &&
                       record->group_name == seen.labels.group_name;
  if (!counts || counted) return;
  const auto smaller =
      smaller_.find(seen.pod->namespace_name + "/" + seen.labels.group_name);
  if (smaller != smaller_.end()) left_.insert(smaller->second);
  if (seen.pod->controller || seen.labels.group_size > 1)
    latecomers_.Add(seen.pod, seen.labels);
}

void IntakeBatch::Refill(const std::vector<DissolvedPod>& pods) {
  for (const DissolvedPod& pod : pods) {
    filling_.Touch(pod.namespace_name, pod.group_name);
    const ObservedPod seen = Look(pod.uid);
    if (seen.fate == Fate::kWaiting) filling_.Put(*seen.pod, seen.labels, "");
    if (!pod.held_alone) continue;
    filling_.Touch(pod.namespace_name, *pod.held_alone);
    held_uids_.push_back(pod.uid);
    held_namespaces_.push_back(pod.namespace_name);
    held_names_.push_back(*pod.held_alone);
  }
}

void IntakeBatch::Rejudge(const std::vector<std::string>& namespaces,
                          const std::vector<std::string>& group_names) {
  transaction_.Run(queries::kLockFillingGroups, namespaces, group_names,
                   std::vector<std::string>());
  for (std::size_t i = 0; i < namespaces.size(); ++i)
    filling_.Touch(namespaces[i], group_names[i]);
}

void IntakeBatch::SettleRecalled(
    std::int64_t group, const std::vector<std::string>& uids,
    const std::vector<cluster::PodPointer>& bound) {
  std::vector<std::string> pods = uids;
  for (const sql::Row row :
       transaction_.Run(queries::kReadPodsBesides, std::vector{group},
                        std::vector<std::string>()))
    pods.push_back(row.Get<std::string>("uid"));
  transaction_.Run(queries::kLockFillingGroups, std::vector<std::string>(),
                   std::vector<std::string>(), pods);
  transaction_.Run(queries::kLockActiveGroups, std::vector<std::string>(),
                   std::vector<std::string>(), std::vector<std::string>(),
                   std::vector{group});
  for (const cluster::PodPointer& pod : bound) members_.Bind(pod);
  for (const std::int64_t moved : members_.Write(transaction_, now_))
    groups_.Tell(moved);
  Refill(groups_.SettleRecalled(group));
  filling_.WritePods(transaction_);
  ReceiveAgain({group}, {});
  latecomers_.Receive(groups_);
}

void IntakeBatch::ReceiveAgain(const std::vector<std::int64_t>& groups,
                               const std::vector<std::string>& kinds) {
  for (const sql::Row row :
       transaction_.Run(queries::kReadPodsBesides, groups, kinds)) {
    const ObservedPod seen = Look(row.Get<std::string>("uid"));
    if (seen.fate != Fate::kWaiting || !seen.labels.refused.empty()) continue;
    latecomers_.Add(seen.pod, seen.labels);
    filling_.Touch(seen.pod->namespace_name, seen.labels.group_name);
  }
}

void IntakeBatch::Finish() {
  if (!held_uids_.empty())
    transaction_.Run(queries::kMoveHolds, held_uids_, held_namespaces_,
                     held_names_);
  groups_.Add(filling_.Settle(transaction_, now_));
  groups_.Finish();
}

}  // namespace fluxnetes::workers
