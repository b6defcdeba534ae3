// The scheduling queues of a simulation: those that are given, changed as the
// command line says, with the keys of `queue set`.
#pragma once

#include <string>
#include <vector>

#include "services/grammar/options.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::services {

// `--queue NAME:KEY=VALUE` changes a queue or makes it (`NAME:` alone just
// that), `--policy` is the queue_policy of all. Keys that do not matter to the
// decision are checked and change nothing. Throws Failure (kUsage).
void ChangeQueues(const SimulateOptions& options,
                  std::vector<workers::QueueSettings>& queues);

// An object of columns and values, as ParseQueueSettings() makes it.
void ApplyQueuePatch(const std::string& patch, workers::QueueSettings& queue);

}  // namespace fluxnetes::services
