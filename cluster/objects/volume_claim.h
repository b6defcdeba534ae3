// A PersistentVolumeClaim (core/v1): the fields that the scheduler uses.
// Tests: tests/cluster/json/optional_objects_test.cc,
// tests/workers/pods/pod_claims_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

struct VolumeClaim {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string volume_name;  // spec.volumeName; empty: none yet
  // Class name; empty: no class. Nothing: the default class, which Kubernetes
  // fills in if there is one.
  std::optional<std::string> storage_class;
  std::int64_t requested_bytes = 0;
  std::vector<std::string> access_modes;  // ReadWriteOnce, ...
  bool block = false;                     // volumeMode Block; else Filesystem
  // Labels and requirements on labels that a volume must satisfy, all of them.
  std::map<std::string, std::string> selector;
  NodeSelectorTerm selector_expressions;
  std::string phase;                // Pending, Bound, Lost
  bool bind_completed = false;      // pv.kubernetes.io/bind-completed
  std::string selected_node;        // volume.kubernetes.io/selected-node
  bool terminating = false;         // has a deletion timestamp
  std::optional<Owner> controller;  // the pod, of an ephemeral volume
  bool operator==(const VolumeClaim&) const = default;
};

// True if no two pods may use the claim at once, on any nodes.
inline bool IsForOnePod(const VolumeClaim& claim) {
  return std::ranges::count(claim.access_modes, "ReadWriteOncePod") > 0;
}

// "namespace/name".
inline std::string Key(const VolumeClaim& claim) {
  return claim.namespace_name + "/" + claim.name;
}

// The key of a claim that a pod names.
inline std::string ClaimKey(const Pod& pod, const std::string& claim) {
  return pod.namespace_name + "/" + claim;
}

}  // namespace fluxnetes::cluster
