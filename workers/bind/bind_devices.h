// Handles the claims of devices of a pod that is about to be bound: before its
// binding, each claim is written with the devices of the pod's placement, and
// reserved for the pod, as kube-scheduler does (its plugin DynamicResources,
// PreBind).
//
// A claim that seems to be written already is among these, too: it may have
// been given back since (claim_release.h) while the watch is behind, so the
// cluster reads it (devices/claim_changes.h) just before the pod is bound.
//
// Owned by one thread.
// Tests: tests/workers/bind/bind_devices_test.cc,
// tests/workers/bind/claim_release_pgtest.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/devices/claim_changes.h"
#include "matcher/devices/device_request.h"

namespace fluxnetes::workers {

class BindDevices {
 public:
  explicit BindDevices(const cluster::ClusterCache& cache) : cache_(cache) {}

  struct Look {
    std::string problem;  // why the pod cannot have them; empty: it can
    bool waits = false;   // for the cache, or until others have given back
    std::vector<cluster::ClaimAllocation> to_write;
  };
  // `devices`: of the pod's placement on `node` (matcher/devices/
  // devices_text.h).
  Look Check(const cluster::Pod& pod, const std::string& node,
             std::string_view devices) const;

  // Whether the cache has all of this in the claims already.
  static bool AreWritten(const std::vector<cluster::ClaimAllocation>& writes);

  // What keeps devices of a claim from being used yet, in words: a device may
  // name conditions that its driver, or a controller, must report first, and
  // others that say that it never will (bindingConditions,
  // bindingFailureConditions). Empty: nothing.
  struct Conditions {
    std::string awaited;
    std::string failed;
  };
  static Conditions ConditionsOf(const cluster::ClaimDevices& devices,
                                 const cluster::ResourceClaim& claim);

  // Merges what several pods write on one claim, so that each claim is named
  // once. Returns the position of each in what is left.
  static std::vector<std::size_t> Merge(
      std::vector<cluster::ClaimAllocation>& writes);

 private:
  // Whether this claim is that of an earlier pod of the same controller, which
  // ends or is gone, so that its devices are about to be given back.
  bool IsLeftTo(const cluster::Pod& pod, const std::string& holder) const;
  void CheckClaim(const cluster::Pod& pod, const std::string& node,
                  const cluster::PodClaim& entry,
                  std::vector<matcher::AllocatedDevice> devices,
                  Look& look) const;

  const cluster::ClusterCache& cache_;
};

}  // namespace fluxnetes::workers
