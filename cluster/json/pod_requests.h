// Decodes the amounts that a pod requests and a node offers from their JSON
// or Protobuf. See objects.h for the rules.
#pragma once

#include <cstdint>

#include "cluster/objects/resources.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

// Decodes the requests of a pod from its spec and its status (or null). While
// the pod is resized in place: the larger of its requests and what its node has
// granted.
Resources DecodeRequests(const EncodedValue& spec, const EncodedValue& status);

// Whether a pod of this spec is of the QoS class Guaranteed.
bool IsGuaranteed(const EncodedValue& spec);

// Decodes requested amounts; an unreadable amount counts as kLargestAmount.
Resources DecodeAmounts(const EncodedValue& amounts);

// Decodes the amount `storage`; 0 if it is unreadable.
std::int64_t DecodeStorage(const EncodedValue& amounts);

// Decodes status.allocatable or status.capacity of a node.
Resources DecodeOffer(const EncodedValue& amounts);

}  // namespace fluxnetes::cluster
