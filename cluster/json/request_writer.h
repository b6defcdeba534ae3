// Where a pod can go, as JSON of the spec of a v1 Pod: what request_decoder.h
// reads.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"
#include "cluster/text/json_text.h"

namespace fluxnetes::cluster {

// Fields of the spec.
void WritePlacement(JsonText& json, const PodRequest& request);

// The field `ports` of a container.
void WritePorts(JsonText& json, const std::vector<HostPort>& ports);

// What DecodeRules reads.
std::string WriteRules(const PodRules& rules);

}  // namespace fluxnetes::cluster
