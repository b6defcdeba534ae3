// Whether what the spec of a pod in a manifest says of where the pod can go is
// right: tolerations, affinity, spread, ports, claims. Limits are those of the
// API server (Kubernetes: "Assigning Pods to Nodes", "Pod Topology Spread
// Constraints").
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fluxnetes::cluster {

// The first that is wrong, with its path, and what would be right. `path` is
// that of the spec.
std::optional<std::string> WhatIsWrongWithPlacement(const nlohmann::json& spec,
                                                    const std::string& path);

}  // namespace fluxnetes::cluster
