// How much a pod asks for and a node offers, decoded from their JSON. See
// objects.h for the rules; neither ever fails.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/objects/resources.h"

namespace fluxnetes::cluster {

// Of the spec and the status (or null) of a pod. While it is resized in place,
// the larger of what is asked for and what its node has granted.
Resources DecodeRequests(const nlohmann::json& spec,
                         const nlohmann::json& status);

// A list of what is asked for: what cannot be read counts as kLargestAmount.
Resources DecodeAmounts(const nlohmann::json& amounts);

// Of status.allocatable or status.capacity of a node.
Resources DecodeOffer(const nlohmann::json& amounts);

}  // namespace fluxnetes::cluster
