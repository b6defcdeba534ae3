#include "workers/labels/set_replica.h"

#include "workers/labels/label_values.h"

namespace fluxnetes::workers {
namespace {

constexpr const char* kSetLabel = "leaderworkerset.sigs.k8s.io/name";
constexpr const char* kReplicaLabel = "leaderworkerset.sigs.k8s.io/group-index";
constexpr const char* kWorkerLabel = "leaderworkerset.sigs.k8s.io/worker-index";
constexpr const char* kReplicaSize = "leaderworkerset.sigs.k8s.io/size";

}  // namespace

std::optional<SetReplica> FindSetReplica(const cluster::Pod& pod,
                                         std::string& lacks) {
  const auto set = pod.labels.find(kSetLabel);
  const auto replica = pod.labels.find(kReplicaLabel);
  const auto size = pod.annotations.find(kReplicaSize);
  const std::string place = "annotation " + std::string(kReplicaSize);
  if (set == pod.labels.end())
    lacks = LabelCalled(kSetLabel);
  else if (replica == pod.labels.end())
    lacks = LabelCalled(kReplicaLabel);
  else if (size == pod.annotations.end())
    lacks = place;
  if (!lacks.empty()) return std::nullopt;
  // The worker of number 0 is the leader.
  const auto worker = pod.labels.find(kWorkerLabel);
  return SetReplica{set->second,
                    replica->second,
                    {place, size->second},
                    worker != pod.labels.end() && worker->second == "0"};
}

}  // namespace fluxnetes::workers
