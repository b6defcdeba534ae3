// A page of the timeline, as fluxnetes.v1 has it. Bad input becomes a
// GrpcRefusal that names the field.
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
