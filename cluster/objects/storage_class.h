// A StorageClass (storage.k8s.io/v1): the fields that the scheduler uses.
// Tests: tests/cluster/json/optional_objects_test.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

struct StorageClass {
  std::string name;
  std::string resource_version;
  std::string provisioner;
  // volumeBindingMode WaitForFirstConsumer: a claim gets a volume only after a
  // pod that uses it has been given a node. Else Immediate.
  bool waits_for_consumer = false;
  // Where its volumes can be: one term must match; empty: anywhere.
  std::vector<NodeSelectorTerm> allowed_topologies;
  bool operator==(const StorageClass&) const = default;
};

}  // namespace fluxnetes::cluster
