// The calls of fluxnetes.v1 on groups that have ended.
//
// They only read. Throws GrpcRefusal and sql::Error.
// Tests: tests/services/lists/lists_pgtest.cc.
#pragma once

#include "sql/connection/transaction.h"

namespace fluxnetes::v1 {
class ListEstimateErrorsResponse;
class ListHistoryRequest;
class ListHistoryResponse;
class SummarizeHistoryRequest;
class SummarizeHistoryResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

void ListHistoryFor(const v1::ListHistoryRequest& request,
                    v1::ListHistoryResponse& response,
                    sql::Transaction& transaction, sql::Timestamp now);

void SummarizeHistoryFor(const v1::SummarizeHistoryRequest& request,
                         v1::SummarizeHistoryResponse& response,
                         sql::Transaction& transaction, sql::Timestamp now);

void ListEstimateErrorsFor(v1::ListEstimateErrorsResponse& response,
                           sql::Transaction& transaction);

}  // namespace fluxnetes::services
