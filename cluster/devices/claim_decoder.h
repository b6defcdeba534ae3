// Decodes ResourceClaim and ResourceClaimTemplate from Kubernetes' JSON. As
// with pods, decoding never fails; a missing field, or one of another type, has
// its default.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/devices/resource_claim.h"

namespace fluxnetes::cluster {

ResourceClaim DecodeResourceClaim(const nlohmann::json& object);
ResourceClaimTemplate DecodeResourceClaimTemplate(const nlohmann::json& object);

// Decodes status.allocation of a claim; nothing if it is not an object.
std::optional<ClaimDevices> DecodeAllocation(const nlohmann::json& allocation);

// Decodes a node selector; null is that of all nodes. One that names exactly
// one node becomes that node. A term that can match no node is left out.
matcher::DeviceNodes DecodeDeviceNodes(const nlohmann::json& selector);

}  // namespace fluxnetes::cluster
