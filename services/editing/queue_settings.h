// The settings of a scheduling queue (a row of `queues`) as one writes them on
// the command line, see row_settings.h.
#pragma once

#include <string>
#include <vector>

namespace fluxnetes::services {

// An object of columns and values for the query edit_queue, as JSON text.
// "assumed_duration=" alone takes a value away; "node_selector=zone=a,gpu=yes"
// or an object. Throws Failure (kUsage) for an unknown key, a value that cannot
// be or a key given twice.
std::string ParseQueueSettings(const std::vector<std::string>& settings);

}  // namespace fluxnetes::services
