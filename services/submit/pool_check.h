// Pools of the cluster that manifests ask for, by labels of their pods, and
// that do not exist or are too small.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cluster/files/manifest.h"
#include "cluster/scheduler_names.h"
#include "services/console/console.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// A warning for each manifest, "asks for the pool ..."; empty: none. Manifests
// of pods of other schedulers have none. The database is opened only if a
// manifest asks for a pool. Throws what `database` does, and sql::Error.
std::vector<std::string> PoolWarnings(
    std::span<const cluster::Manifest> manifests,
    const cluster::SchedulerNames& schedulers,
    const std::function<sql::Pool&()>& database);

// Prints the warnings, or a note of what was not checked.
void WarnOfPools(std::span<const cluster::Manifest> manifests,
                 const cluster::SchedulerNames& schedulers,
                 const std::function<sql::Pool&()>& database, Console& console);

}  // namespace fluxnetes::services
