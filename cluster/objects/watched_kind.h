// The kinds of objects that are listed and watched, and where a Kubernetes API
// has them. Optional kinds are read where the cluster serves them: a cluster
// without them, or that does not let us read them, is watched all the same.
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
  kJobs,                // those whose labels say something to us
};

inline constexpr std::size_t kWatchedKinds = 9;

constexpr std::size_t Number(WatchedKind kind) {
  return static_cast<std::size_t>(kind);
}

struct WatchedResource {
  WatchedKind kind;
  const char* name;  // for people: as in a role, with its group
  bool optional;
  // Of the versions that we can read, the newest first; the first one that the
  // server has is used.
  std::span<const char* const> paths;
};

const WatchedResource& ResourceOf(WatchedKind kind);

// In the order in which they are listed: what pods refer to before pods.
std::span<const WatchedKind, kWatchedKinds> WatchedKindsInOrder();

}  // namespace fluxnetes::cluster
