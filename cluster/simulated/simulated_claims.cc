// Claims of devices in a simulated cluster: its API, and the controller that
// makes claims from templates and frees the devices of pods that have ended.
// (Kubernetes: the controller of resource claims.)
#include <algorithm>
#include <utility>

#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {
namespace {

template <typename Objects>
auto Existing(const Objects& objects) {
  std::vector<typename Objects::mapped_type> existing;
  for (const auto& [key, object] : objects) {
    if (object != nullptr) existing.push_back(object);
  }
  return existing;
}

template <typename Objects>
typename Objects::mapped_type FindIn(const Objects& objects,
                                     const std::string& key) {
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

std::string NameOfClaim(const Pod& pod, const std::string& claim) {
  return pod.namespace_name + "/" + claim;
}

}  // namespace

template <typename Object>
bool SimulatedCluster::State::RemoveObject(
    std::map<std::string, std::shared_ptr<const Object>>& objects,
    const std::string& key) {
  const auto found = objects.find(key);
  if (found == objects.end() || found->second == nullptr) return false;
  auto last = std::make_shared<Object>(*found->second);
  last->resource_version = NextVersion();
  found->second = nullptr;
  Publish<Object>(WatchEvent::Kind::kDeleted, std::move(last));
  return true;
}

void SimulatedCluster::State::MakeClaims(SimulatedPod& pod) {
  std::vector<PodClaim> claims = pod.pod->resource_claims;
  for (PodClaim& each : claims) {
    if (!each.claim.empty() || each.template_name.empty()) continue;
    const ClaimTemplatePointer of =
        FindIn(claim_templates, NameOfClaim(*pod.pod, each.template_name));
    if (of == nullptr) continue;
    ResourceClaim claim;
    claim.namespace_name = pod.pod->namespace_name;
    claim.name = pod.pod->name + "-" + each.name + "-" + NewSuffix();
    claim.uid = NewUid();
    claim.owner = Owner{"Pod", pod.pod->name, pod.pod->uid};
    claim.spec.Own() = of->spec;
    each.claim = claim.name;
    const std::string key = Key(claim);
    PutObject(resource_claims, key, std::move(claim));
  }
  if (claims == pod.pod->resource_claims) return;
  ChangePod(pod, [&claims](Pod& p) { p.resource_claims = std::move(claims); });
}

bool SimulatedCluster::State::HasItsClaims(const Pod& pod) const {
  for (const PodClaim& each : pod.resource_claims) {
    if (each.needless) continue;
    const ResourceClaimPointer claim =
        FindIn(resource_claims, NameOfClaim(pod, each.claim));
    if (claim == nullptr || !claim->allocation ||
        std::ranges::count(claim->reserved_for, pod.uid, &ClaimConsumer::uid) ==
            0)
      return false;
  }
  return true;
}

void SimulatedCluster::State::ChangeClaim(ResourceClaim claim) {
  const std::string key = Key(claim);
  const bool over = claim.terminating && claim.finalizers.empty();
  const std::vector<ClaimConsumer> consumers = claim.reserved_for;
  PutObject(resource_claims, key, std::move(claim));
  if (over) RemoveObject(resource_claims, key);
  for (const ClaimConsumer& each : consumers) {
    SimulatedPod* const pod =
        pods.Find(key.substr(0, key.find('/')), each.name);
    if (pod == nullptr || pod->pod->uid != each.uid || !pod->Active() ||
        pod->pod->node_name.empty() || pod->pod->phase != PodPhase::kPending)
      continue;
    ++pod->epoch;
    AddTimer(Timer::Kind::kAdmit, Now() + options.start_delay, *pod);
  }
}

bool SimulatedCluster::State::DeleteClaim(const std::string& key) {
  const ResourceClaimPointer claim = FindIn(resource_claims, key);
  if (claim == nullptr) return false;
  ResourceClaim last = *claim;
  last.terminating = true;
  if (last.reserved_for.empty()) Apply(ClaimRelease{claim, {}}, last);
  if (last.finalizers.empty()) return RemoveObject(resource_claims, key);
  ChangeClaim(std::move(last));
  return true;
}

void SimulatedCluster::State::FreeClaims(const Pod& pod) {
  for (const PodClaim& each : pod.resource_claims) {
    const std::string key = NameOfClaim(pod, each.claim);
    const ResourceClaimPointer claim = FindIn(resource_claims, key);
    if (claim == nullptr) continue;
    if (std::ranges::count(claim->reserved_for, pod.uid, &ClaimConsumer::uid) >
        0) {
      ResourceClaim freed = *claim;
      Apply(ClaimRelease{claim, {pod.uid}}, freed);
      ChangeClaim(std::move(freed));
    }
    if (claim->owner && claim->owner->uid == pod.uid) DeleteClaim(key);
  }
}

std::vector<ClaimResult> SimulatedCluster::AllocateClaims(
    std::span<const ClaimAllocation> claims) {
  return state_->WriteClaims(claims);
}

std::vector<ClaimResult> SimulatedCluster::ReleaseClaims(
    std::span<const ClaimRelease> claims) {
  return state_->WriteClaims(claims);
}

template <typename Wish>
std::vector<ClaimResult> SimulatedCluster::State::WriteClaims(
    std::span<const Wish> wishes) {
  const sql::MutexLock lock(mutex);
  CheckReachable();
  std::vector<ClaimResult> results;
  for (const Wish& wish : wishes) {
    const std::string key = Key(*wish.claim);
    const ResourceClaimPointer now = FindIn(resource_claims, key);
    if (now == nullptr || now->uid != wish.claim->uid) {
      results.push_back({ClaimOutcome::kGone, "there is no such claim"});
      continue;
    }
    if (auto done = WhyDone(wish, *now)) {
      results.push_back(*std::move(done));
      continue;
    }
    ResourceClaim changed = *now;
    Apply(wish, changed);
    ChangeClaim(std::move(changed));
    results.push_back(
        {ClaimOutcome::kWritten, "", FindIn(resource_claims, key)});
  }
  return results;
}

void SimulatedCluster::Put(DeviceClass device_class) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = device_class.device_class.name;
  state_->PutObject(state_->device_classes, key, std::move(device_class));
}

void SimulatedCluster::Put(ResourceSlice slice) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = slice.slice.name;
  state_->PutObject(state_->slices, key, std::move(slice));
}

void SimulatedCluster::Put(ResourceClaimTemplate of) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = Key(of);
  if (of.uid.empty()) of.uid = state_->NewUid();
  state_->PutObject(state_->claim_templates, key, std::move(of));
  for (const PodPointer& waiting : state_->pods.All()) {
    SimulatedPod& pod =
        *state_->pods.Find(waiting->namespace_name, waiting->name);
    if (pod.Active()) state_->MakeClaims(pod);
  }
}

void SimulatedCluster::Put(ResourceClaim claim) {
  const sql::MutexLock lock(state_->mutex);
  if (claim.uid.empty()) claim.uid = state_->NewUid();
  state_->ChangeClaim(std::move(claim));
}

ClaimResult SimulatedCluster::Update(ResourceClaim claim) {
  const sql::MutexLock lock(state_->mutex);
  const std::string key = Key(claim);
  const ResourceClaimPointer now = FindIn(state_->resource_claims, key);
  if (now == nullptr || now->uid != claim.uid)
    return {ClaimOutcome::kGone, "there is no such claim"};
  if (now->resource_version != claim.resource_version)
    return {ClaimOutcome::kConflict, "the claim has changed", now};
  state_->ChangeClaim(std::move(claim));
  return {ClaimOutcome::kWritten, "", FindIn(state_->resource_claims, key)};
}

bool SimulatedCluster::RemoveDeviceClass(const std::string& name) {
  const sql::MutexLock lock(state_->mutex);
  return state_->RemoveObject(state_->device_classes, name);
}

bool SimulatedCluster::RemoveResourceSlice(const std::string& name) {
  const sql::MutexLock lock(state_->mutex);
  return state_->RemoveObject(state_->slices, name);
}

bool SimulatedCluster::RemoveClaimTemplate(const std::string& namespace_name,
                                           const std::string& name) {
  const sql::MutexLock lock(state_->mutex);
  return state_->RemoveObject(state_->claim_templates,
                              namespace_name + "/" + name);
}

bool SimulatedCluster::RemoveResourceClaim(const std::string& namespace_name,
                                           const std::string& name) {
  const sql::MutexLock lock(state_->mutex);
  return state_->DeleteClaim(namespace_name + "/" + name);
}

ResourceClaimPointer SimulatedCluster::GetResourceClaim(
    const std::string& namespace_name, const std::string& name) const {
  const sql::MutexLock lock(state_->mutex);
  return FindIn(state_->resource_claims, namespace_name + "/" + name);
}

SimulatedCluster::DeviceObjects SimulatedCluster::TakeDevices() const {
  const sql::MutexLock lock(state_->mutex);
  return {Existing(state_->device_classes), Existing(state_->slices),
          Existing(state_->claim_templates), Existing(state_->resource_claims)};
}

}  // namespace fluxnetes::cluster
