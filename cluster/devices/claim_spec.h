// The spec of a claim of devices as text and as a value.
//
// A text is canonical JSON of ResourceClaimSpec: keys in order, defaults as the
// API server fills them in, nothing empty.
//
//   {"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount",
//    "count":1,"deviceClassName":"gpu.example.com"},"name":"gpu"}]}}
//
// Reading never fails: a spec that is malformed, or that uses a field that is
// not supported, has a fault, which names the place:
//
//   devices.requests[0].exactly.shape: this field is not supported
//
// Tests: tests/cluster/devices/claim_spec_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cluster/devices/resource_claim.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

ClaimSpec DecodeClaimSpec(const nlohmann::json& spec);
ClaimSpec ReadClaimSpec(std::string_view text);

// Returns the canonical text of a claim without configuration. Its name, and
// whether it is shared, are no part of it.
std::string WriteClaimSpec(const matcher::DeviceClaim& claim);

// Tolerations as the API has them; an unknown effect or operator, or one
// that is no object, is reported as a fault of this place.
std::vector<matcher::DeviceToleration> ReadDeviceTolerations(
    const EncodedValue& list, const std::string& place, std::string& fault);

}  // namespace fluxnetes::cluster
