// Canonical JSON of a request: texts are equal exactly if requests are. Keys:
// "resources" (amounts as quantities, by name), "nodeSelector", "nodeAffinity",
// "tolerations", "topology", "inside", "claims" (of devices) and the other
// rules, if not empty.
// Tests: tests/cluster/objects/pod_test.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::cluster {

std::string ToJson(const PodRequest& request);

// Throw std::invalid_argument if the text is not such JSON.
PodRequest PodRequestFromJson(const std::string& json);
// The value of "topology"; empty: none.
GroupTopology TopologyFromJson(const std::string& json);
// The value of "inside"; empty: none.
InsideTerms InsideFromJson(const std::string& json);
// The value of "nodeAffinity"; empty: none.
std::vector<NodeSelectorTerm> NodeAffinityFromJson(const std::string& json);

}  // namespace fluxnetes::cluster
