// The settings of a scheduling queue (a row of `queues`) on the command line;
// see row_settings.h.
// Tests: tests/services/editing/queue_command_pgtest.cc.
#pragma once

#include <string>
#include <vector>

namespace fluxnetes::services {

// Returns an object of columns and values for the query edit_queue, as JSON
// text. "assumed_duration=" alone sets the column to null; node_selector takes
// pairs ("node_selector=zone=a,gpu=yes") or a JSON object. Throws Failure
// (kUsage) for an unknown key, an invalid value or a key given twice.
std::string ParseQueueSettings(const std::vector<std::string>& settings);

}  // namespace fluxnetes::services
