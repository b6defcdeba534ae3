// The file of structures that the configuration names (cluster.structures),
// with the files that it names itself, relative to its own folder.
//
// Throws Failure (kUsage), which names the file and the place in it.
#pragma once

#include <vector>

#include "cluster/structures/structure_sources.h"
#include "services/config/config.h"

namespace fluxnetes::services {

// Returns none if the configuration names no file.
std::vector<cluster::LabelledStructure> LoadStructures(const Config& config);

}  // namespace fluxnetes::services
