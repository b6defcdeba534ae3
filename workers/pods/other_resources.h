// Reads and writes the column `other` of placements and nodes: amounts of
// resources besides cpu and memory, by name, in whole units (ephemeral-storage
// in bytes) as a JSON object. That of a placement has devices by class, too
// (labels/device_counts.h).
//
// Pure.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::workers {

// Returns nothing if there are no such amounts.
std::optional<std::string> OtherResources(const cluster::Resources& resources);

// Returns those of a placement. A claim that several pods of a group use counts
// for the first of them: `counted` has the claims that others count.
std::optional<std::string> OtherResources(const cluster::PodRequest& request,
                                          std::set<std::string>& counted);

// Adds amounts in the form that OtherResources() writes.
void ReadOtherResources(const std::string& other,
                        cluster::Resources& resources);

}  // namespace fluxnetes::workers
