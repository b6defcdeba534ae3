// Reads and writes the column `other` of placements and nodes: amounts of
// resources besides cpu and memory, by name, in whole units (ephemeral-storage
// in bytes) as a JSON object.
//
// Pure.
#pragma once

#include <optional>
#include <string>

#include "cluster/objects/resources.h"

namespace fluxnetes::workers {

// Returns nothing if there are no such amounts.
std::optional<std::string> OtherResources(const cluster::Resources& resources);

// Adds amounts in the form that OtherResources() writes.
void ReadOtherResources(const std::string& other,
                        cluster::Resources& resources);

}  // namespace fluxnetes::workers
