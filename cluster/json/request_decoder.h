// Where a pod can go, decoded from the spec of a v1 Pod. Never fails, as
// objects.h says; a number that cannot be read is 0.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::cluster {

// All but the resources, which pod_requests.h computes.
void DecodePlacement(const nlohmann::json& spec, PodRequest& request);

// Affinity, spread and claims, as they stand in a spec, and host ports where
// there is a list `ports` beside them.
PodRules DecodeRules(const nlohmann::json& spec);

// A node selector that has no term keeps an empty one, which selects nothing;
// without a selector there is no term.
std::vector<NodeSelectorTerm> DecodeNodeSelector(
    const nlohmann::json& selector);
NodeSelectorTerm DecodeNodeSelectorTerm(const nlohmann::json& expressions);

struct DecodedClaims {
  std::vector<std::string> all;        // each once
  std::vector<std::string> ephemeral;  // those of them that are the pod's own
};
// Of the volumes of a pod of this name; that of a generic ephemeral volume has
// the names of both. (Kubernetes: "Ephemeral Volumes", PersistentVolumeClaim
// naming.)
DecodedClaims DecodeVolumeClaims(const nlohmann::json& spec,
                                 const std::string& pod_name);

}  // namespace fluxnetes::cluster
