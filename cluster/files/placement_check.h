// Validates the fields of a pod spec in a manifest that restrict its placement:
// tolerations, affinity, spread, ports, claims. The limits are those of the API
// server (Kubernetes: "Assigning Pods to Nodes", "Pod Topology Spread
// Constraints").
// Tests: tests/cluster/files/manifest_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fluxnetes::cluster {

// Returns the first fault with its path and the value expected there. `path` is
// the path of the spec.
std::optional<std::string> WhatIsWrongWithPlacement(const nlohmann::json& spec,
                                                    const std::string& path);

}  // namespace fluxnetes::cluster
