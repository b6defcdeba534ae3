// The column `other` of placements and nodes: what is held besides cpu and
// memory, by name, in whole units (ephemeral-storage in bytes) as a JSON
// object.
//
// Pure.
#pragma once

#include <optional>
#include <string>

#include "cluster/objects/resources.h"

namespace fluxnetes::workers {

// Nothing if there is nothing else.
std::optional<std::string> OtherResources(const cluster::Resources& resources);

// Adds what OtherResources() wrote.
void ReadOtherResources(const std::string& other,
                        cluster::Resources& resources);

}  // namespace fluxnetes::workers
