// The call of fluxnetes.v1 that lists who has changed what.
//
// It only reads. Throws GrpcRefusal and sql::Error.
// Tests: tests/services/lists/lists_pgtest.cc.
#pragma once

#include "sql/connection/transaction.h"

namespace fluxnetes::v1 {
class ListAuditRequest;
class ListAuditResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

void ListAuditFor(const v1::ListAuditRequest& request,
                  v1::ListAuditResponse& response,
                  sql::Transaction& transaction);

}  // namespace fluxnetes::services
