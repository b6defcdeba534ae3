// Validates manifests against the rules for their fields (Kubernetes API
// reference: Pod v1 core, Job v1 batch, Node v1 core, PodGroup of both APIs:
// pod_group.h; and the kinds of resource.k8s.io/v1, of which also what is not
// supported is a fault).
// Tests: tests/cluster/files/manifest_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fluxnetes::cluster {

// Each returns the first fault with its path; nothing: the object is valid.
std::optional<std::string> WhatIsWrongWithPod(const nlohmann::json& object);
std::optional<std::string> WhatIsWrongWithJob(const nlohmann::json& object);
std::optional<std::string> WhatIsWrongWithNode(const nlohmann::json& object);
std::optional<std::string> WhatIsWrongWithPodGroup(
    const nlohmann::json& object);
std::optional<std::string> WhatIsWrongWithClass(const nlohmann::json& object);
std::optional<std::string> WhatIsWrongWithSlice(const nlohmann::json& object);
std::optional<std::string> WhatIsWrongWithClaim(const nlohmann::json& object);
std::optional<std::string> WhatIsWrongWithClaimTemplate(
    const nlohmann::json& object);

}  // namespace fluxnetes::cluster
