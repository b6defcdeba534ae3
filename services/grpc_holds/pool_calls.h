// Pools of the cluster as messages, and the changes of pools that a request
// asks for.
#pragma once

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/database/audit.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Throws GrpcRefusal for a name that no pool has.
void FillPools(v1::ListPoolsResponse& response,
               const v1::ListPoolsRequest& request,
               sql::Transaction& transaction);

// Throw GrpcRefusal, Failure and sql::Error.
void SetPoolFor(const v1::SetPoolRequest& request,
                v1::SetPoolResponse& response, const Actor& actor,
                sql::Pool& pool, sql::Timestamp now);
void DeletePoolFor(const v1::DeletePoolRequest& request, const Actor& actor,
                   sql::Pool& pool, sql::Timestamp now);

}  // namespace fluxnetes::services
