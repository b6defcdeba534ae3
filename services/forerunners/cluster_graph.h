// The nodes as the scheduler sees them, as a resource graph in Fluxion's JSON
// graph format:
//
//   cluster0 - ZONE - NODE - core, memory, gpu, ...
//
// Nodes without a zone stand below the cluster. What a node has of a kind is
// one vertex with a size: cores in whole ones, memory and storage in MiB, of
// nvidia.com/gpu and other extended resources pieces, by the last part of their
// name. A node that takes no pods is down.
//
// Throws sql::Error.
#pragma once

#include <string>

#include "sql/connection/pool.h"

namespace fluxnetes::services {

std::string ClusterGraphJgf(sql::Pool& pool);

}  // namespace fluxnetes::services
