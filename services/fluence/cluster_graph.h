// The scheduler's nodes as a resource graph in Fluxion's JSON graph format:
//
//   cluster0 - ZONE - NODE - core, memory, gpu, ...
//
// Nodes without a zone are children of the cluster. Each resource of a node is
// one vertex with a size: whole cores; MiB of memory and storage; pieces of
// nvidia.com/gpu and other extended resources, named by the last part of the
// resource name. A node that accepts no pods is down.
//
// Throws sql::Error.
// Tests: tests/services/fluence/fluence_services_pgtest.cc.
#pragma once

#include <string>

#include "sql/connection/pool.h"

namespace fluxnetes::services {

std::string ClusterGraphJgf(sql::Pool& pool);

}  // namespace fluxnetes::services
