#include <algorithm>
#include <utility>

#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {

bool SimulatedCluster::AddNode(const Node& node) {
  const sql::MutexLock lock(state_->mutex);
  if (state_->nodes.contains(node.name)) return false;
  auto added = std::make_shared<Node>(node);
  added->uid = state_->NewUid();
  added->resource_version = state_->NextVersion();
  SimulatedNode& made = state_->nodes[node.name];
  made.node = added;
  if (node.topology_policy != TopologyPolicy::kNone) {
    made.numa.emplace(node);
    added->zones = made.numa->Zones();
  }
  state_->Publish<Node>(WatchEvent::Kind::kChanged, std::move(added));
  state_->TakeOrphansBack(node.name);
  return true;
}

bool SimulatedCluster::UpdateNode(const Node& node) {
  const sql::MutexLock lock(state_->mutex);
  const bool known = state_->ChangeNode(node.name, [&node](Node& n) {
    std::string uid = std::move(n.uid);
    n = node;
    n.uid = std::move(uid);
  });
  if (!known) return false;
  SimulatedNode& changed = state_->nodes.at(node.name);
  if (changed.numa) state_->ReportZones(changed);
  state_->EvictUntolerating(changed);
  if (node.ready) state_->WakeKubelet(changed);
  return true;
}

bool SimulatedCluster::RemoveNode(const std::string& name) {
  const sql::MutexLock lock(state_->mutex);
  const auto found = state_->nodes.find(name);
  if (found == state_->nodes.end()) return false;
  auto last = std::make_shared<Node>(*found->second.node);
  last->resource_version = state_->NextVersion();
  const std::vector<std::uint32_t> orphans = std::move(found->second.pods);
  state_->nodes.erase(found);
  state_->Publish<Node>(WatchEvent::Kind::kDeleted, std::move(last));
  for (const std::uint32_t slot : orphans) {
    SimulatedPod& pod = state_->pods.At(slot);
    ++pod.epoch;
    pod.charged = false;
    ++state_->orphans;
    state_->AddTimer(Timer::Kind::kCollect,
                     state_->Now() + state_->options.orphan_grace, pod);
  }
  return true;
}

// Removes an orphan as the pod garbage collector does: marks it as failed first
// if it had not ended.
void SimulatedCluster::State::Collect(SimulatedPod& pod) {
  pod.disrupted = true;
  if (!pod.Over()) End(pod, PodPhase::kFailed, "NodeLost");
  RemovePod(pod);
}

// Continues the pods of a node that is back before they were collected.
void SimulatedCluster::State::TakeOrphansBack(const std::string& node) {
  if (orphans == 0) return;
  for (const PodPointer& orphan : pods.All()) {
    if (orphan->node_name != node) continue;
    SimulatedPod& pod = *pods.Find(orphan->namespace_name, orphan->name);
    --orphans;
    ++pod.epoch;
    Arrive(pod);
  }
}

void SimulatedCluster::State::WakeKubelet(SimulatedNode& node) {
  for (const std::uint32_t slot : node.pods) {
    SimulatedPod& pod = pods.At(slot);
    if (pod.Active() && pod.pod->phase == PodPhase::kPending) {
      ++pod.epoch;
      AddTimer(Timer::Kind::kAdmit, Now() + options.start_delay, pod);
    }
  }
}

// Kubernetes: taint-based eviction, without tolerationSeconds.
void SimulatedCluster::State::EvictUntolerating(SimulatedNode& node) {
  Node hard;
  for (const Taint& taint : node.node->taints) {
    if (taint.effect == "NoExecute") hard.taints.push_back(taint);
  }
  if (hard.taints.empty()) return;
  const std::vector<std::uint32_t> here = node.pods;
  for (const std::uint32_t slot : here) {
    SimulatedPod& pod = pods.At(slot);
    PodRequest tolerations;
    tolerations.tolerations = pod.pod->request.tolerations;
    if (pod.Active() && !Admits(hard, tolerations)) {
      pod.disrupted = true;
      DeletePod(pod, Deleter::kUser);
    }
  }
}

bool SimulatedCluster::Cordon(const std::string& name, bool cordoned) {
  const sql::MutexLock lock(state_->mutex);
  return state_->ChangeNode(
      name, [cordoned](Node& n) { n.unschedulable = cordoned; });
}

bool SimulatedCluster::SetReady(const std::string& name, bool ready) {
  const sql::MutexLock lock(state_->mutex);
  if (!state_->ChangeNode(name, [ready](Node& n) { n.ready = ready; })) {
    return false;
  }
  if (ready) state_->WakeKubelet(state_->nodes.at(name));
  return true;
}

bool SimulatedCluster::AddTaint(const std::string& name, const Taint& taint) {
  const sql::MutexLock lock(state_->mutex);
  const bool known = state_->ChangeNode(name, [&taint](Node& n) {
    std::erase_if(n.taints, [&taint](const Taint& t) {
      return t.key == taint.key && t.effect == taint.effect;
    });
    n.taints.push_back(taint);
  });
  if (known) state_->EvictUntolerating(state_->nodes.at(name));
  return known;
}

bool SimulatedCluster::RemoveTaint(const std::string& name,
                                   const std::string& key) {
  const sql::MutexLock lock(state_->mutex);
  return state_->ChangeNode(name, [&key](Node& n) {
    std::erase_if(n.taints, [&key](const Taint& t) { return t.key == key; });
  });
}

}  // namespace fluxnetes::cluster
