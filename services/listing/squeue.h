// `fluxnetes squeue`: groups in the columns of Slurm's squeue, for people and
// scripts that know them. A group is a job, its queue a partition, its
// namespace a user; what the codes mean is in docs/commands.md.
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

// Names of hosts as Slurm writes them: those that differ only in the number at
// their end together, "n[1-3,7],gpu0", in order of their numbers.
std::string HostList(const std::vector<std::string>& nodes);

}  // namespace fluxnetes::services
