// Rebuilds a group that a scheduling gate kept out of the schedule, with new
// requests of its members, as the schedule may have forgotten the old ones.
// Tests: tests/workers/gates/hold_gate_test.cc.
#pragma once

#include <optional>

#include "cluster/cluster_cache.h"
#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

// Returns nothing if a member is no longer in the cache; intake will record
// that.
std::optional<PendingGroup> Renewed(const PendingGroup& kept,
                                    const cluster::ClusterCache& cache,
                                    Schedule& schedule);

}  // namespace fluxnetes::workers
