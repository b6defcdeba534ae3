// Validates the resources of a pod spec: which names there are, which amounts
// are whole, and how requests and limits go together. (Kubernetes: "Resource
// Management for Pods and Containers", "Manage HugePages".)
// Tests: tests/cluster/files/resource_check_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fluxnetes::cluster {

// Returns the first fault with its path; nothing: an API server takes the
// resources. Expects quantities that can be read
// (FieldRule::Kind::kQuantities). `path` is the path of the spec.
std::optional<std::string> WhatIsWrongWithResources(const nlohmann::json& spec,
                                                    const std::string& path);

// Returns which amount of a node is not whole but must be.
std::optional<std::string> WhatIsWrongWithOffer(const nlohmann::json& amounts,
                                                const std::string& path);

}  // namespace fluxnetes::cluster
