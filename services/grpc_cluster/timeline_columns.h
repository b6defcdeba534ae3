// The whole timeline as a message in columns, so that a browser can draw
// 100,000 bars: one group costs some tens of bytes, and no object of its own.
//
// Reads only. Throws GrpcRefusal and sql::Error.
// Tests: tests/services/grpc_cluster/timeline_columns_pgtest.cc.
#pragma once

#include "sql/connection/transaction.h"

namespace fluxnetes::v1 {
class GetTimelineChartRequest;
class GetTimelineChartResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

void FillTimelineChart(v1::GetTimelineChartResponse& response,
                       const v1::GetTimelineChartRequest& request,
                       sql::Transaction& transaction, sql::Timestamp now);

}  // namespace fluxnetes::services
