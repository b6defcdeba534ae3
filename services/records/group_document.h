// A group as programs read it: one document for `-o json`, `-o yaml` and the
// pages of lists. Names and meanings of fields: see output.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "services/records/group_row.h"

namespace fluxnetes::services {

nlohmann::ordered_json ToJson(const GroupRow& group);

}  // namespace fluxnetes::services
