// The part of `fluxnetes doctor` that looks at what nodes have inside: from
// where it is known, and what of it cannot be used.
//
// Read-only. Throws nothing.
// Tests: tests/services/doctor/cluster_checkup_test.cc.
#pragma once

#include "cluster/http/http_client.h"
#include "services/config/config.h"
#include "services/doctor/finding.h"

namespace fluxnetes::services {

// Lists nodes and, where they are served, NodeResourceTopologies.
Findings CheckStructures(const Config& config, cluster::HttpClient& client);

}  // namespace fluxnetes::services
