// Scheduling queues in a YAML file, for `fluxnetes queue apply`:
//
//   default:
//     queue_policy: easy
//   gpu:
//     node_selector: {accelerator: a100}
//     assumed_duration:        # nothing: none
//
// The settings are those of `fluxnetes queue set`.
// Tests: tests/services/editing/queue_command_pgtest.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

struct QueueFileEntry {
  std::string name;
  std::string settings;  // from ParseQueueSettings()
};

// Throws Failure (kUsage) with `source`, the queue and the fault.
std::vector<QueueFileEntry> ParseQueueFile(std::string_view text,
                                           const std::string& source);

}  // namespace fluxnetes::services
