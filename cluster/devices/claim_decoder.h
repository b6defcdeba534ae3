// Decodes ResourceClaim and ResourceClaimTemplate from Kubernetes' JSON or
// Protobuf. As with pods (cluster/json/objects.h), decoding never fails but for
// damaged Protobuf; a missing field, or one of another type, has its default.
#pragma once

#include "cluster/devices/resource_claim.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

ResourceClaim DecodeResourceClaim(const EncodedValue& object);
ResourceClaimTemplate DecodeResourceClaimTemplate(const EncodedValue& object);

// Decodes status.allocation of a claim; nothing if it is not an object.
std::optional<ClaimDevices> DecodeAllocation(const EncodedValue& allocation);

// Decodes a node selector; null is that of all nodes. One that names exactly
// one node becomes that node. A term that can match no node is left out.
matcher::DeviceNodes DecodeDeviceNodes(const EncodedValue& selector);

}  // namespace fluxnetes::cluster
