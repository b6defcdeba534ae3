// How much of all nodes is in use, as a message in columns.
//
// Reads only. Throws sql::Error.
// Tests: tests/services/grpc_cluster/node_messages_pgtest.cc.
#pragma once

#include "sql/connection/transaction.h"

namespace fluxnetes::v1 {
class GetNodeMapResponse;
}

namespace fluxnetes::services {

void FillNodeMap(v1::GetNodeMapResponse& response,
                 sql::Transaction& transaction, sql::Timestamp now);

}  // namespace fluxnetes::services
