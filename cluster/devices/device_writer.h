// Writes objects of resource.k8s.io/v1 as JSON, as an API server returns them:
// the inverse of claim_decoder.h and device_decoder.h.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cluster/devices/device_objects.h"
#include "cluster/devices/resource_claim.h"

namespace fluxnetes::cluster {

// status.allocation of a claim: its devices, which nodes can use them, and what
// their drivers are told, by the classes of its requests and by the claim.
nlohmann::json EncodeAllocation(
    const ClaimSpec& spec, const ClaimDevices& devices,
    const std::vector<std::shared_ptr<const DeviceClass>>& classes);
nlohmann::json EncodeConsumer(const ClaimConsumer& consumer);

// Without what drivers are told.
std::string WriteResourceClaim(const ResourceClaim& claim);
std::string WriteResourceClaimTemplate(const ResourceClaimTemplate& of);
std::string WriteDeviceClass(const DeviceClass& device_class);
std::string WriteResourceSlice(const ResourceSlice& slice);

}  // namespace fluxnetes::cluster
