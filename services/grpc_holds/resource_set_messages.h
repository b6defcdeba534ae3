// What the pods of a group have of their nodes, as messages: R version 1 of
// each pod, and a resource graph in JGF.
#pragma once

#include <cstdint>

#include "fluxnetes/v1/scheduler.pb.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Adds them to the response, which has the group's members. The graph stays
// empty for a group without places.
void FillResourceSets(v1::GetGroupResponse& response, std::int64_t group,
                      sql::Transaction& transaction);

}  // namespace fluxnetes::services
