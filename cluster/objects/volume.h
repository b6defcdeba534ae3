// A PersistentVolume (core/v1): the fields that the scheduler uses.
// Tests: tests/cluster/json/optional_objects_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

struct Volume {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string storage_class;  // name; empty: none
  std::map<std::string, std::string> labels;
  std::int64_t capacity_bytes = 0;
  std::vector<std::string> access_modes;  // ReadWriteOnce, ...
  bool block = false;                     // volumeMode Block; else Filesystem
  // The claim that it is bound to, or reserved for (then without a UID).
  std::string claim_namespace;
  std::string claim_name;
  std::string claim_uid;
  std::string phase;         // Available, Bound, Released, Failed, Pending
  bool terminating = false;  // has a deletion timestamp
  // Node selector terms, of which a node must match one; empty: any node.
  std::vector<NodeSelectorTerm> node_affinity;
  bool operator==(const Volume&) const = default;
};

}  // namespace fluxnetes::cluster
