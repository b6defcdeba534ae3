// A group as a document for programs, for `-o json`, `-o yaml` and the pages of
// lists. For the names and meanings of fields see output.h.
// Tests: tests/services/listing/documents_pgtest.cc,
// tests/services/listing/get_pgtest.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "services/records/group_row.h"

namespace fluxnetes::services {

nlohmann::ordered_json ToJson(const GroupRow& group);

}  // namespace fluxnetes::services
