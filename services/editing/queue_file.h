// Scheduling queues as a YAML file has them, for `fluxnetes queue apply`:
//
//   default:
//     queue_policy: easy
//   gpu:
//     node_selector: {accelerator: a100}
//     assumed_duration:        # nothing: none
//
// The settings are those of `fluxnetes queue set`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

struct QueueFileEntry {
  std::string name;
  std::string settings;  // as ParseQueueSettings gives them
};

// Throws Failure (kUsage), which names `source`, the queue and what is wrong.
std::vector<QueueFileEntry> ParseQueueFile(std::string_view text,
                                           const std::string& source);

}  // namespace fluxnetes::services
