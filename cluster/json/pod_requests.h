// Decodes the amounts that a pod requests and a node offers from their JSON.
// See objects.h for the rules; decoding never fails.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/objects/resources.h"

namespace fluxnetes::cluster {

// Decodes the requests of a pod from its spec and its status (or null). While
// the pod is resized in place: the larger of its requests and what its node has
// granted.
Resources DecodeRequests(const nlohmann::json& spec,
                         const nlohmann::json& status);

// Whether a pod of this spec is of the QoS class Guaranteed.
bool IsGuaranteed(const nlohmann::json& spec);

// Decodes requested amounts; an unreadable amount counts as kLargestAmount.
Resources DecodeAmounts(const nlohmann::json& amounts);

// Decodes status.allocatable or status.capacity of a node.
Resources DecodeOffer(const nlohmann::json& amounts);

}  // namespace fluxnetes::cluster
