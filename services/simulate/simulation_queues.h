// The scheduling queues and pools of a simulation: the given ones, changed by
// the flags, with the keys of `queue set`.
// Tests: tests/services/simulate/simulate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "services/grammar/options.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::services {

// `--queue NAME:KEY=VALUE` changes or creates a queue (`NAME:` alone only
// creates it); `--policy` sets the queue_policy of all. Keys that do not affect
// decisions are checked and ignored. Throws Failure (kUsage).
void ChangeQueues(const SimulateOptions& options,
                  std::vector<workers::QueueSettings>& queues);

// `--pool NAME=TOTAL` changes or creates a pool. Throws Failure (kUsage).
void ChangePools(const SimulateOptions& options,
                 std::vector<workers::Pool>& pools);

// `patch` is an object of columns and values from ParseQueueSettings().
void ApplyQueuePatch(const std::string& patch, workers::QueueSettings& queue);

}  // namespace fluxnetes::services
