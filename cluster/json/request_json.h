// Canonical JSON of a request: equal text exactly for equal requests. Keys
// "cpu", "memory", "ephemeral-storage", "pods", extended ones by name, under
// "resources" (amounts as quantities); "nodeSelector", "nodeAffinity",
// "tolerations", "topology" and what else there are rules of where not empty.
#pragma once

#include <string>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::cluster {

std::string ToJson(const PodRequest& request);

// Throws std::invalid_argument if the text is not such JSON.
PodRequest PodRequestFromJson(const std::string& json);

}  // namespace fluxnetes::cluster
