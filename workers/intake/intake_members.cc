#include "workers/intake/intake_members.h"

#include <map>
#include <optional>

#include "cluster/objects/kubelet_rejection.h"
#include "workers/intake/members_queries.h"
#include "workers/pods/other_resources.h"

namespace fluxnetes::workers {

void MemberChanges::SetVersion(const std::string& uid,
                               const std::string& version) {
  versioned_.push_back(uid);
  versions_.push_back(version);
}

void MemberChanges::Bind(const cluster::PodPointer& pod) {
  bound_.push_back(pod);
}

void MemberChanges::End(const std::string& uid, const std::string& state,
                        const cluster::PodPointer& pod) {
  ended_.push_back(uid);
  ended_states_.push_back(state);
  if (state != "succeeded") lost_.push_back(uid);
  ended_nodes_.push_back(pod ? pod->node_name : "");
  kubelet_rejections_.emplace_back();
  if (pod && cluster::IsRejectedByKubelet(*pod))
    kubelet_rejections_.back() = pod->reason;
}

std::set<std::int64_t> MemberChanges::Write(sql::Transaction& transaction,
                                            cluster::Time now) {
  if (!versioned_.empty())
    transaction.Run(queries::kSetMemberVersions, versioned_, versions_);
  if (!ended_.empty())
    transaction.Run(queries::kEndMembers, ended_, ended_states_, ended_nodes_,
                    kubelet_rejections_, now);
  if (!lost_.empty()) transaction.Run(queries::kUndoReplacements, lost_);
  if (bound_.empty()) return {};
  return ChargePlaces(transaction, now);
}

std::set<std::int64_t> MemberChanges::ChargePlaces(
    sql::Transaction& transaction, cluster::Time now) {
  std::map<std::string, cluster::PodPointer> pods;
  std::vector<std::string> uids, nodes;
  for (const cluster::PodPointer& pod : bound_) {
    pods[pod->uid] = pod;
    uids.push_back(pod->uid);
    nodes.push_back(pod->node_name);
  }
  transaction.Run(queries::kBindMembers, uids, nodes, now);

  std::vector<std::int64_t> groups, cpu, memory;
  std::vector<std::string> charged, charged_nodes;
  std::vector<std::optional<std::string>> other;
  for (const sql::Row row : transaction.Run(queries::kReadPlaces, uids)) {
    const cluster::Pod& pod = *pods.at(row.Get<std::string>("uid"));
    if (row.Find<std::string>("node_name") == pod.node_name) continue;
    groups.push_back(row.Get<std::int64_t>("group_id"));
    charged.push_back(pod.uid);
    charged_nodes.push_back(pod.node_name);
    cpu.push_back(pod.request.resources.cpu_milli);
    memory.push_back(pod.request.resources.memory_bytes);
    other.push_back(OtherResources(pod.request.resources));
  }
  if (!charged.empty())
    transaction.Run(queries::kChargePlaces, groups, charged, charged_nodes, cpu,
                    memory, other, now);
  return {groups.begin(), groups.end()};
}

}  // namespace fluxnetes::workers
