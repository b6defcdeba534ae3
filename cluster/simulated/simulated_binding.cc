#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {

std::optional<BindFault> SimulatedCluster::State::TakeBindFault() {
  if (bind_fault.count == 0) return std::nullopt;
  if (bind_fault.after > 0) {
    --bind_fault.after;
    return std::nullopt;
  }
  --bind_fault.count;
  return bind_fault.fault;
}

BindResult SimulatedCluster::State::BindOne(const Binding& binding) {
  SimulatedPod* const pod = pods.Find(binding.namespace_name, binding.pod_name);
  if (pod == nullptr) return {BindOutcome::kGone, "there is no such pod"};
  const Pod& now = *pod->pod;
  const auto conflict = [](std::string why) {
    return BindResult{BindOutcome::kConflict, std::move(why)};
  };
  if (!binding.uid.empty() && binding.uid != now.uid) {
    return conflict("Precondition failed: UID in precondition: " + binding.uid +
                    ", UID in object meta: " + now.uid);
  }
  if (!binding.resource_version.empty() &&
      binding.resource_version != now.resource_version) {
    return conflict(
        "Precondition failed: ResourceVersion in precondition: " +
        binding.resource_version +
        ", ResourceVersion in object meta: " + now.resource_version);
  }
  if (now.terminating) return conflict("pod is being deleted");
  if (!now.node_name.empty()) {
    return conflict("pod is already assigned to node \"" + now.node_name +
                    "\"");
  }
  if (now.gated) return conflict("pod has non-empty .spec.schedulingGates");
  if (binding.node_name.empty()) {
    return {BindOutcome::kRefused, "target.name: Required value"};
  }
  bindings.push_back({Now(), now.uid, binding.node_name});
  pod->condition.reset();
  ChangePod(*pod, [&binding](Pod& p) {
    p.node_name = binding.node_name;
    for (const auto& [key, value] : binding.annotations)
      p.annotations[key] = value;
  });
  Arrive(*pod);
  return {};
}

std::vector<BindResult> SimulatedCluster::Bind(
    std::span<const Binding> bindings, std::chrono::milliseconds /*deadline*/) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  std::vector<BindResult> results;
  results.reserve(bindings.size());
  for (const Binding& binding : bindings) {
    const auto fault = state_->TakeBindFault();
    if (fault == BindFault::kUnreachable) {
      throw Unreachable("the simulated cluster did not take a binding");
    }
    if (fault == BindFault::kAnswerLost) {
      state_->BindOne(binding);
      throw Unreachable("the simulated cluster's answer was lost");
    }
    if (fault == BindFault::kRefused) {
      results.push_back({BindOutcome::kRefused, "refused on demand"});
    } else if (fault == BindFault::kConflict) {
      results.push_back({BindOutcome::kConflict, "conflict on demand"});
    } else {
      results.push_back(state_->BindOne(binding));
    }
  }
  return results;
}

void SimulatedCluster::FailBinds(BindFault fault, int count, int after) {
  const sql::MutexLock lock(state_->mutex);
  state_->bind_fault = {fault, after, count};
}

std::vector<SimulatedCluster::BindingRecord> SimulatedCluster::Bindings(
    std::size_t from) const {
  const sql::MutexLock lock(state_->mutex);
  if (from >= state_->bindings.size()) return {};
  return {state_->bindings.begin() + static_cast<std::ptrdiff_t>(from),
          state_->bindings.end()};
}

}  // namespace fluxnetes::cluster
