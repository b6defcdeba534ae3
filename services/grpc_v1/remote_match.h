// Matches of jobspecs requested by gRPC: `fluxnetes match` by the records of
// the database.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <functional>

#include "sql/connection/pool.h"

namespace fluxnetes::v1 {
class MatchRequest;
class MatchResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

// `stop` is polled; once it returns true, the state is unknown. Throws
// GrpcRefusal for a jobspec that cannot be used, and sql::Error.
void MatchFor(const v1::MatchRequest& request, v1::MatchResponse& response,
              sql::Pool& pool, const std::function<bool()>& stop);

}  // namespace fluxnetes::services
