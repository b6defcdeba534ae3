#include "workers/pods/pod_claims.h"

#include <algorithm>

#include "cluster/text/quote.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;
using ClaimState = PodClaim::State;

// The provisioner of storage classes whose volumes are made by hand.
constexpr const char* kNoProvisioner = "kubernetes.io/no-provisioner";

void SetBoundClaim(PodClaim& result, const cluster::ClusterCache& cache) {
  const std::string& volume = result.claim->volume_name;
  if (!result.claim->bind_completed) {
    result.why = "claim " + Quote(result.name) +
                 " is not bound to its volume " + Quote(volume) + " yet";
    return;
  }
  result.volume = cache.VolumeByName(volume);
  if (result.volume == nullptr) {
    result.why = "claim " + Quote(result.name) + " is bound to volume " +
                 Quote(volume) + ", which does not exist";
    return;
  }
  result.state = ClaimState::kBound;
}

// The storage class determines how a claim gets its volume.
void SetUnboundClaim(PodClaim& result, const cluster::ClusterCache& cache) {
  const std::string claim = "claim " + Quote(result.name);
  const std::string name = result.claim->storage_class.value_or("");
  if (name.empty()) {
    result.why = claim + " has no volume yet, and no storage class";
    return;
  }
  result.storage_class = cache.StorageClassByName(name);
  if (result.storage_class == nullptr) {
    result.why =
        claim + " has storage class " + Quote(name) + ", which does not exist";
  } else if (!result.storage_class->waits_for_consumer) {
    result.why = claim + " has no volume yet";
  } else if (const auto& by = result.storage_class->provisioner;
             by.empty() || by == kNoProvisioner) {
    result.why = claim + " has no volume, and none is made by storage class " +
                 Quote(name) +
                 "; this scheduler does not choose among volumes that are "
                 "there: name one in the claim's volumeName";
  } else {
    result.state = ClaimState::kToBeBound;
  }
}

PodClaim FindClaim(const cluster::Pod& pod, const std::string& name,
                   const cluster::ClusterCache& cache) {
  PodClaim result;
  result.name = name;
  result.claim = cache.VolumeClaimByName(pod.namespace_name, name);
  const std::string claim = "claim " + Quote(name);
  if (result.claim == nullptr) {
    result.why = claim + " does not exist";
    return result;
  }
  const auto& owner = result.claim->controller;
  if (std::ranges::count(pod.ephemeral_claims, name) > 0 &&
      (!owner || owner->uid != pod.uid)) {
    result.why = claim + " is not the pod's own, but made by somebody else";
  } else if (result.claim->terminating) {
    result.why = claim + " is being deleted";
  } else if (result.claim->phase == "Lost") {
    result.why = claim + " has lost its volume";
  } else if (!result.claim->volume_name.empty()) {
    SetBoundClaim(result, cache);
  } else {
    SetUnboundClaim(result, cache);
  }
  return result;
}

}  // namespace

std::vector<PodClaim> ClaimsOf(const cluster::Pod& pod,
                               const cluster::ClusterCache& cache) {
  std::vector<PodClaim> claims;
  claims.reserve(pod.volume_claims.size());
  for (const std::string& name : pod.volume_claims)
    claims.push_back(FindClaim(pod, name, cache));
  return claims;
}

}  // namespace fluxnetes::workers
