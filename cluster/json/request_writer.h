// Writes the fields of a v1 Pod's spec that restrict its placement: the inverse
// of request_decoder.h.
// Tests: tests/cluster/json/request_decoder_test.cc,
// tests/cluster/json/object_writer_test.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"
#include "cluster/text/json_text.h"

namespace fluxnetes::cluster {

// Writes the fields into the open object of a spec.
void WritePlacement(JsonText& json, const PodRequest& request);

// Writes the field `ports` of a container.
void WritePorts(JsonText& json, const std::vector<HostPort>& ports);

// Writes the JSON that DecodeRules reads, without claims of devices, which have
// more in a request than in a pod.
std::string WriteRules(const PodRules& rules);

}  // namespace fluxnetes::cluster
