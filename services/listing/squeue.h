// `fluxnetes squeue`: groups in the columns of Slurm's squeue, for people and
// scripts used to it. A group is shown as a job, its queue as a partition, its
// namespace as a user; docs/commands.md explains the codes.
#pragma once

#include <string>
#include <vector>

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws sql::Error.
ExitCode RunSqueue(const SqueueOptions& options, sql::Pool& pool,
                   Console& console);

// Writes host names as Slurm does: names that differ only in their final number
// together, "n[1-3,7],gpu0", in numeric order.
std::string HostList(const std::vector<std::string>& nodes);

}  // namespace fluxnetes::services
