// A job of the work queue as a document for programs; output.h explains the
// names of fields.
// Tests: tests/services/editing/job_command_pgtest.cc,
// tests/services/listing/documents_pgtest.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "queue/control/inspection.h"

namespace fluxnetes::services {

nlohmann::ordered_json ToJson(const queue::JobRow& job);
nlohmann::ordered_json ToJson(const queue::QueueStats& stats);

// Returns the message of the job's last failure; empty if it has not failed.
std::string LastError(const queue::JobRow& job);

}  // namespace fluxnetes::services
