// A page of the timeline as messages of fluxnetes.v1. Invalid input throws
// GrpcRefusal with the field's name.
// Tests: tests/services/grpc_v1/grpc_timeline_pgtest.cc.
#pragma once

#include "sql/connection/transaction.h"

namespace fluxnetes::v1 {
class GetTimelineRequest;
class GetTimelineResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

// Reads only. Throws GrpcRefusal and sql::Error.
void FillTimeline(v1::GetTimelineResponse& response,
                  const v1::GetTimelineRequest& request,
                  sql::Transaction& transaction, sql::Timestamp now);

}  // namespace fluxnetes::services
