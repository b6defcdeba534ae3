// A group that was kept out of the schedule, with the requests of its members
// made anew: the schedule may have forgotten them.
#pragma once

#include <optional>

#include "cluster/cluster_cache.h"
#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

// Nothing: a member is not known any more, which intake is about to say.
std::optional<PendingGroup> Renewed(const PendingGroup& kept,
                                    const cluster::ClusterCache& cache,
                                    Schedule& schedule);

}  // namespace fluxnetes::workers
