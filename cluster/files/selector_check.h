// Validates selectors in manifests: of labels, and the terms of a node
// affinity. (Kubernetes: "Labels and Selectors"; "Assigning Pods to Nodes".)
// Tests: tests/cluster/files/manifest_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fluxnetes::cluster {

// Each returns the first fault with its path; nothing: an API server takes it.
// An absent selector or term is valid.
std::optional<std::string> WhatIsWrongWithSelector(
    const nlohmann::json& selector, const std::string& path);
std::optional<std::string> WhatIsWrongWithNodeTerm(const nlohmann::json& term,
                                                   const std::string& path);

}  // namespace fluxnetes::cluster
