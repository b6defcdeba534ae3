// The kinds of objects that a cluster tells of, those among them that are
// listed and watched, and their paths in a Kubernetes API. Optional kinds are
// watched if the cluster serves them; a cluster that lacks them, or does not
// let us read them, is watched without them.
// Tests: tests/cluster/kubernetes/kind_watch_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace fluxnetes::cluster {

enum class WatchedKind {
  kNodes,
  kPods,
  kNamespaces,
  kStorageClasses,
  kVolumes,             // PersistentVolume
  kVolumeClaims,        // PersistentVolumeClaim
  kCoschedulingGroups,  // PodGroup of scheduling.x-k8s.io
  kNativeGroups,        // PodGroup of scheduling.k8s.io
  kJobs,                // those whose labels or annotations instruct us
  kNodeTopologies,      // NodeResourceTopology of topology.node.k8s.io
  kDeviceClasses,       // this and what follows: of resource.k8s.io
  kResourceSlices,
  kResourceClaims,
  // ResourceClaimTemplate: served by the simulated cluster, and not watched,
  // since what makes claims of templates is a controller of the cluster.
  kClaimTemplates,
};

inline constexpr std::size_t kServedKinds = 14;
inline constexpr std::size_t kWatchedKinds = 13;  // the first ones

constexpr std::size_t Number(WatchedKind kind) {
  return static_cast<std::size_t>(kind);
}

struct WatchedResource {
  WatchedKind kind;
  const char* name;  // for people: as in an RBAC role, with its API group
  bool optional;
  // One path per version that we can read, the newest first; the first one that
  // the server has is used.
  std::span<const char* const> paths;
};

// Of a kind that is watched.
const WatchedResource& ResourceOf(WatchedKind kind);

// In the order of listing: kinds that pods refer to come before pods.
std::span<const WatchedKind, kWatchedKinds> WatchedKindsInOrder();

}  // namespace fluxnetes::cluster
