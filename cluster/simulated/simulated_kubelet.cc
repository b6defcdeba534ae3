#include <algorithm>
#include <utility>

#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {
namespace {

// The delay before an ended container is restarted.
constexpr std::chrono::milliseconds kRestartDelay{100};

}  // namespace

SimulatedNode* SimulatedCluster::State::NodeOf(const SimulatedPod& pod) {
  const auto found = nodes.find(pod.pod->node_name);
  return found == nodes.end() ? nullptr : &found->second;
}

void SimulatedCluster::State::Arrive(SimulatedPod& pod) {
  SimulatedNode* const node = NodeOf(pod);
  if (node == nullptr) {
    ++orphans;
    AddTimer(Timer::Kind::kCollect, Now() + options.orphan_grace, pod);
    return;
  }
  const auto at = std::ranges::lower_bound(node->pods, pod.slot);
  if (at == node->pods.end() || *at != pod.slot) {
    node->pods.insert(at, pod.slot);
  }
  if (pod.Over()) return;
  if (pod.pod->terminating) {
    AddTimer(Timer::Kind::kGone, Now() + options.termination_grace, pod);
  } else if (pod.pod->phase == PodPhase::kRunning) {
    Start(pod, *node);
  } else {
    AddTimer(Timer::Kind::kAdmit, Now() + options.start_delay, pod);
  }
}

void SimulatedCluster::State::Leave(SimulatedPod& pod) {
  if (pod.pod->node_name.empty()) return;
  Discharge(pod);
  SimulatedNode* const node = NodeOf(pod);
  if (node == nullptr) {
    --orphans;
    return;
  }
  const auto at = std::ranges::lower_bound(node->pods, pod.slot);
  if (at != node->pods.end() && *at == pod.slot) node->pods.erase(at);
}

// (Kubernetes: pkg/kubelet/lifecycle, admission by the scheduler's predicates.)
std::string SimulatedCluster::State::WhyRejected(
    const SimulatedNode& node, const PodRequest& request) const {
  Resources free = node.node->allocatable;
  free -= node.used;
  const Resources& wanted = request.resources;
  if (wanted.pods > free.pods) return "OutOfpods";
  if (wanted.cpu_milli > std::max<std::int64_t>(0, free.cpu_milli)) {
    return "OutOfcpu";
  }
  if (wanted.memory_bytes > std::max<std::int64_t>(0, free.memory_bytes)) {
    return "OutOfmemory";
  }
  if (wanted.ephemeral_bytes >
      std::max<std::int64_t>(0, free.ephemeral_bytes)) {
    return "OutOfephemeral-storage";
  }
  for (const auto& [name, amount] : wanted.extended) {
    if (amount > free.Extended(name)) return "OutOf" + name;
  }
  Node without_soft_taints = *node.node;
  std::erase_if(without_soft_taints.taints,
                [](const Taint& taint) { return taint.effect != "NoExecute"; });
  if (!Admits(without_soft_taints, request)) return "NodeAffinity";
  if (node.numa && !node.numa->Admits(request, node.node->topology_policy))
    return "TopologyAffinityError";
  return "";
}

void SimulatedCluster::State::Admit(SimulatedPod& pod) {
  SimulatedNode* const node = NodeOf(pod);
  // A kubelet that is not ready admits the pod when it is back (SetReady).
  if (node == nullptr || !node->node->ready) return;
  if (!HasItsClaims(*pod.pod)) return;  // ChangeClaim has it admitted
  const std::string why = WhyRejected(*node, pod.pod->request);
  if (!why.empty()) return End(pod, PodPhase::kFailed, why);
  pod.started = Now();
  ChangePod(pod, [](Pod& p) { p.phase = PodPhase::kRunning; });
  Start(pod, *node);
}

// Starts a pod, or continues one whose node was away.
void SimulatedCluster::State::Start(SimulatedPod& pod, SimulatedNode& node) {
  if (!pod.charged) {
    node.used += pod.pod->request.resources;
    if (node.numa) {
      node.numa->Take(pod.slot, pod.pod->request, node.node->topology_policy);
      ReportZones(node);
    }
    pod.charged = true;
  }
  if (pod.run.length) {
    AddTimer(Timer::Kind::kRunEnds,
             std::max(Now(), *pod.started + *pod.run.length), pod);
  }
  if (pod.pod->active_deadline) {
    AddTimer(Timer::Kind::kPodDeadline,
             std::max(Now(), *pod.started + *pod.pod->active_deadline), pod);
  }
}

void SimulatedCluster::State::EndRun(SimulatedPod& pod, int exit_code) {
  const bool failed = exit_code != 0;
  const bool again = pod.restart == RestartPolicy::kAlways ||
                     (pod.restart == RestartPolicy::kOnFailure && failed);
  if (!again) {
    pod.exit_code = exit_code;
    return End(pod, failed ? PodPhase::kFailed : PodPhase::kSucceeded, "");
  }
  ++pod.attempt;
  if (failed && pod.job != nullptr) {
    ++pod.job->restarts;
    AddTimer(Timer::Kind::kSyncJob, Now(), *pod.job);
  }
  if (pod.run.length) {
    AddTimer(Timer::Kind::kRunEnds, Now() + kRestartDelay + *pod.run.length,
             pod);
  }
}

void SimulatedCluster::State::End(SimulatedPod& pod, PodPhase phase,
                                  const std::string& reason) {
  ++pod.epoch;
  Discharge(pod);
  NotePodOver(pod, phase == PodPhase::kSucceeded, true);
  ChangePod(pod, [&](Pod& p) {
    p.phase = phase;
    p.reason = reason;
  });
  FreeClaims(*pod.pod);
}

void SimulatedCluster::State::Discharge(SimulatedPod& pod) {
  if (!pod.charged) return;
  pod.charged = false;
  if (SimulatedNode* const node = NodeOf(pod)) {
    node->used -= pod.pod->request.resources;
    if (!node->numa) return;
    node->numa->Release(pod.slot);
    ReportZones(*node);
  }
}

void SimulatedCluster::State::ReportZones(const SimulatedNode& node) {
  std::vector<NumaZone> zones = node.numa->Zones();
  if (zones == node.node->zones.Get()) return;
  ChangeNode(node.node->name,
             [&zones](Node& n) { n.zones = std::move(zones); });
}

bool SimulatedCluster::EndPod(const std::string& namespace_name,
                              const std::string& pod, int exit_code) {
  const sql::MutexLock lock(state_->mutex);
  SimulatedPod* const found = state_->pods.Find(namespace_name, pod);
  if (found == nullptr || found->pod->phase != PodPhase::kRunning) return false;
  if (found->pod->terminating) return false;
  found->exit_code = exit_code;
  state_->End(*found, exit_code == 0 ? PodPhase::kSucceeded : PodPhase::kFailed,
              "");
  return true;
}

}  // namespace fluxnetes::cluster
