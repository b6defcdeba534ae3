// Changes of the groups of a name, each with its row of `audit` in the same
// transaction. The command line and gRPC both use these functions.
//
// Throws sql::Error.
// Tests: tests/services/database/audit_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "services/database/audit.h"
#include "services/records/group_name.h"
#include "sql/connection/pool.h"
#include "workers/requests/hold.h"
#include "workers/requests/priority.h"

namespace fluxnetes::services {

// As workers::CancelGroup.
int CancelGroup(sql::Pool& pool, const Actor& actor, const GroupName& name,
                const std::string& reason, sql::Timestamp now);

// As workers::HoldGroup and ReleaseGroup.
workers::HoldOutcome HoldGroup(sql::Pool& pool, const Actor& actor,
                               const GroupName& name, const std::string& reason,
                               sql::Timestamp now);
workers::HoldOutcome ReleaseGroup(sql::Pool& pool, const Actor& actor,
                                  const GroupName& name, sql::Timestamp now);

// As workers::SetPriority, for whoever may raise it.
struct PriorityRequest {
  std::optional<std::int32_t> priority = {};  // nullopt: that of the pods
  std::string reason = {};
  bool may_raise = true;
};
workers::PriorityChange SetPriority(sql::Pool& pool, const Actor& actor,
                                    const GroupName& name,
                                    const PriorityRequest& request);

// True if there is an unfinished group of that name.
bool IsUnfinished(sql::Pool& pool, const GroupName& name);

}  // namespace fluxnetes::services
