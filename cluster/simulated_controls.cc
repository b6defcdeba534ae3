#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cluster/simulated_cluster.h"
#include "cluster/simulated_state.h"

namespace fluxnetes::cluster {

PodPointer SimulatedCluster::CreatePod(const PodTemplate& pod) {
  const std::lock_guard lock(state_->mutex);
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
  const std::lock_guard lock(state_->mutex);
  std::string uid = state_->NewUid();
  state_->owners[uid] = {{kind, namespace_name, name, uid}, controller};
  return uid;
}

bool SimulatedCluster::SetLabels(
    const std::string& namespace_name, const std::string& pod,
    const std::map<std::string, std::string>& labels) {
  const std::lock_guard lock(state_->mutex);
  SimulatedPod* const found = state_->pods.Find(namespace_name, pod);
  if (found == nullptr) return false;
  state_->ChangePod(*found, [&labels](Pod& p) { p.labels = labels; });
  return true;
}

bool SimulatedCluster::LiftGates(const std::string& namespace_name,
                                 const std::string& pod) {
  const std::lock_guard lock(state_->mutex);
  SimulatedPod* const found = state_->pods.Find(namespace_name, pod);
  if (found == nullptr) return false;
  state_->ChangePod(*found, [](Pod& p) { p.gated = false; });
  return true;
}

void SimulatedCluster::SetWatchFaults(const WatchFaults& faults) {
  const std::lock_guard lock(state_->mutex);
  state_->watch_faults = faults;
}

void SimulatedCluster::DropWatches() {
  const std::lock_guard lock(state_->mutex);
  for (const auto& watch : state_->watches) {
    if (const auto queue = watch.lock()) queue->Drop();
  }
}

void SimulatedCluster::SetReachable(bool reachable) {
  const std::lock_guard lock(state_->mutex);
  state_->reachable = reachable;
  for (const auto& watch : state_->watches) {
    if (const auto queue = watch.lock()) queue->Silence(!reachable);
  }
}

SimulatedCluster::Snapshot SimulatedCluster::TakeSnapshot() const {
  const std::lock_guard lock(state_->mutex);
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
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->nodes.find(name);
  return found == state_->nodes.end() ? nullptr : found->second.node;
}

std::optional<PodCondition> SimulatedCluster::ConditionOf(
    const std::string& namespace_name, const std::string& pod) const {
  const std::lock_guard lock(state_->mutex);
  const SimulatedPod* const found = state_->pods.Find(namespace_name, pod);
  if (found == nullptr || !found->condition) return std::nullopt;
  return *found->condition;
}

std::vector<PodEvent> SimulatedCluster::EventsOf(
    const std::string& pod_uid) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<PodEvent> events;
  std::ranges::copy_if(
      state_->events, std::back_inserter(events),
      [&](const PodEvent& event) { return event.pod_uid == pod_uid; });
  return events;
}

std::optional<SimulatedCluster::OwnerRecord> SimulatedCluster::GetOwner(
    const std::string& kind, const std::string& namespace_name,
    const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  for (const auto& [uid, owner] : state_->owners) {
    if (owner.object.kind == kind && owner.object.name == name &&
        owner.object.namespace_name == namespace_name) {
      return OwnerRecord{uid, owner.controller};
    }
  }
  return std::nullopt;
}

}  // namespace fluxnetes::cluster
