// The names of the policies of kubelets' topology managers, as people write
// them and as the table `nodes` has them.
// Tests: tests/cluster/files/node_file_test.cc.
#pragma once

#include <string_view>

#include "cluster/objects/node.h"

namespace fluxnetes::cluster {

inline constexpr std::string_view kSingleNumaNodeName = "single-numa-node";
inline constexpr std::string_view kRestrictedName = "restricted";

// Empty: none that refuses pods.
inline std::string_view NameOf(TopologyPolicy policy) {
  switch (policy) {
    case TopologyPolicy::kSingleNumaNode:
      return kSingleNumaNodeName;
    case TopologyPolicy::kRestricted:
      return kRestrictedName;
    case TopologyPolicy::kNone:
      break;
  }
  return "";
}

// Of other names: the policy refuses no pods.
inline TopologyPolicy TopologyPolicyOf(std::string_view name) {
  if (name == kSingleNumaNodeName) return TopologyPolicy::kSingleNumaNode;
  return name == kRestrictedName ? TopologyPolicy::kRestricted
                                 : TopologyPolicy::kNone;
}

}  // namespace fluxnetes::cluster
