#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {

PodPointer SimulatedCluster::CreatePod(const PodTemplate& pod) {
  const sql::MutexLock lock(state_->mutex);
  if (pod.pod.namespace_name.empty() || pod.pod.name.empty()) {
    throw std::invalid_argument("a pod needs a namespace and a name");
  }
  if (state_->pods.Find(pod.pod.namespace_name, pod.pod.name) != nullptr) {
    return nullptr;
  }
  return state_->AddPod(pod.pod, pod.restart, pod.run).pod;
}

std::string SimulatedCluster::CreateOwner(
    const std::string& kind, const std::string& namespace_name,
    const std::string& name, const std::optional<Owner>& controller) {
  const sql::MutexLock lock(state_->mutex);
  std::string uid = state_->NewUid();
  state_->owners[uid] = {{kind, namespace_name, name, uid}, controller};
  return uid;
}

bool SimulatedCluster::SetLabels(const std::string& namespace_name,
                                 const std::string& pod,
                                 const PodLabels& labels) {
  const sql::MutexLock lock(state_->mutex);
  SimulatedPod* const found = state_->pods.Find(namespace_name, pod);
  if (found == nullptr) return false;
  state_->ChangePod(*found, [&labels](Pod& p) { p.labels = labels; });
  return true;
}

bool SimulatedCluster::LiftGates(const std::string& namespace_name,
                                 const std::string& pod) {
  const sql::MutexLock lock(state_->mutex);
  SimulatedPod* const found = state_->pods.Find(namespace_name, pod);
  if (found == nullptr) return false;
  state_->ChangePod(*found, [](Pod& p) { p.gated = false; });
  return true;
}

void SimulatedCluster::SetWatchFaults(const WatchFaults& faults) {
  const sql::MutexLock lock(state_->mutex);
  state_->watch_faults = faults;
}

void SimulatedCluster::DropWatches() {
  const sql::MutexLock lock(state_->mutex);
  for (const auto& watch : state_->watches) {
    if (const auto queue = watch.lock()) queue->Drop();
  }
}

void SimulatedCluster::SetReachable(bool reachable) {
  const sql::MutexLock lock(state_->mutex);
  state_->reachable = reachable;
  for (const auto& watch : state_->watches) {
    if (const auto queue = watch.lock()) queue->Silence(!reachable);
  }
}

SimulatedCluster::Snapshot SimulatedCluster::TakeSnapshot() const {
  const sql::MutexLock lock(state_->mutex);
  Snapshot snapshot;
  snapshot.now = state_->Now();
  snapshot.resource_version = std::to_string(state_->version);
  snapshot.pods = state_->pods.All();
  for (const auto& [name, node] : state_->nodes) {
    snapshot.nodes.push_back(node.node);
  }
  return snapshot;
}

NodePointer SimulatedCluster::GetNode(const std::string& name) const {
  const sql::MutexLock lock(state_->mutex);
  const auto found = state_->nodes.find(name);
  return found == state_->nodes.end() ? nullptr : found->second.node;
}

std::optional<PodCondition> SimulatedCluster::ConditionOf(
    const std::string& namespace_name, const std::string& pod) const {
  const sql::MutexLock lock(state_->mutex);
  const SimulatedPod* const found = state_->pods.Find(namespace_name, pod);
  if (found == nullptr || !found->condition) return std::nullopt;
  return *found->condition;
}

std::vector<PodEvent> SimulatedCluster::EventsOf(
    const std::string& pod_uid) const {
  const sql::MutexLock lock(state_->mutex);
  std::vector<PodEvent> events;
  std::ranges::copy_if(
      state_->events, std::back_inserter(events),
      [&](const PodEvent& event) { return event.pod_uid == pod_uid; });
  return events;
}

std::optional<SimulatedCluster::OwnerRecord> SimulatedCluster::GetOwner(
    const std::string& kind, const std::string& namespace_name,
    const std::string& name) const {
  const sql::MutexLock lock(state_->mutex);
  for (const auto& [uid, owner] : state_->owners) {
    if (owner.object.kind == kind && owner.object.name == name &&
        owner.object.namespace_name == namespace_name) {
      return OwnerRecord{uid, owner.controller};
    }
  }
  return std::nullopt;
}

void SimulatedCluster::Put(VolumeClaim claim) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = Key(claim);
  state_->PutObject(state_->claims, key, std::move(claim));
}

void SimulatedCluster::Put(Volume volume) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = volume.name;
  state_->PutObject(state_->volumes, key, std::move(volume));
}

void SimulatedCluster::Put(StorageClass storage_class) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = storage_class.name;
  state_->PutObject(state_->storage_classes, key, std::move(storage_class));
}

void SimulatedCluster::Put(Namespace space) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = space.name;
  state_->PutObject(state_->namespaces, key, std::move(space));
}

bool SimulatedCluster::RemoveClaim(const std::string& namespace_name,
                                   const std::string& name) {
  const sql::MutexLock lock(state_->mutex);
  const auto found = state_->claims.find(namespace_name + "/" + name);
  if (found == state_->claims.end() || found->second == nullptr) return false;
  VolumeClaim last = *found->second;
  found->second = nullptr;
  last.resource_version = state_->NextVersion();
  state_->Publish(WatchEvent::Kind::kDeleted,
                  std::make_shared<const VolumeClaim>(std::move(last)));
  return true;
}

VolumeClaimPointer SimulatedCluster::GetClaim(const std::string& namespace_name,
                                              const std::string& name) const {
  const sql::MutexLock lock(state_->mutex);
  const auto found = state_->claims.find(namespace_name + "/" + name);
  return found == state_->claims.end() ? nullptr : found->second;
}

std::vector<AnnounceResult> SimulatedCluster::Announce(
    std::span<const NodeAnnouncement> announcements) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  std::vector<AnnounceResult> results;
  for (const NodeAnnouncement& each : announcements) {
    const auto found =
        state_->claims.find(each.namespace_name + "/" + each.claim_name);
    if (found == state_->claims.end() || found->second == nullptr ||
        found->second->uid != each.uid ||
        found->second->resource_version != each.resource_version) {
      results.push_back({AnnounceOutcome::kConflict, "it has changed"});
      continue;
    }
    VolumeClaim told = *found->second;
    told.selected_node = each.node_name;
    state_->PutObject(state_->claims, found->first, std::move(told));
    results.emplace_back();
  }
  return results;
}

}  // namespace fluxnetes::cluster
