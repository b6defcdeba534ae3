// A job of the work queue as a document for programs; field names as said in
// output.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "queue/control/inspection.h"

namespace fluxnetes::services {

nlohmann::ordered_json ToJson(const queue::JobRow& job);
nlohmann::ordered_json ToJson(const queue::QueueStats& stats);

// What its last failure said; empty: it has not failed.
std::string LastError(const queue::JobRow& job);

}  // namespace fluxnetes::services
