// The settings of a scheduling queue (a row of `queues`) as one writes them on
// the command line: KEY=VALUE, checked here so that the answer to a slip is a
// sentence; the database has the last word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

struct QueueSetting {
  std::string_view key;    // the column
  std::string_view right;  // what would be right, for people
};

std::span<const QueueSetting> QueueSettingNames();

// An object of columns and values for the query edit_queue, as JSON text.
// "assumed_duration=" alone takes a value away; "node_selector=zone=a,gpu=yes"
// or an object. Throws Failure (kUsage) for an unknown key, a value that cannot
// be or a key given twice.
std::string ParseQueueSettings(const std::vector<std::string>& settings);

}  // namespace fluxnetes::services
