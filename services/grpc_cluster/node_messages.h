// Nodes, the groups of one, and maintenance as messages of fluxnetes.v1; and
// the calls that announce maintenance and take it back.
//
// Throw Failure (kUsage), GrpcRefusal and sql::Error.
// Tests: tests/services/grpc_cluster/node_messages_pgtest.cc.
#pragma once

#include <string>

#include "services/database/audit.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::v1 {
class DrainNodesRequest;
class DrainNodesResponse;
class GetNodeResponse;
class ListMaintenanceResponse;
class Node;
class UndrainNodesRequest;
class UndrainNodesResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

// Takes a row of the query list_nodes.
void FillNode(v1::Node& message, const sql::Row& row);

// Adds the groups, the maintenance and the inside of the node; `node` itself is
// left as it is.
void FillNodeDetail(v1::GetNodeResponse& response,
                    sql::Transaction& transaction, const std::string& name,
                    sql::Timestamp now);

void FillMaintenance(v1::ListMaintenanceResponse& response,
                     sql::Transaction& transaction, sql::Timestamp now);

void DrainFor(const v1::DrainNodesRequest& request,
              v1::DrainNodesResponse& response, const Actor& actor,
              sql::Pool& pool, sql::Timestamp now);

// Refuses with NOT_FOUND if nothing of what was asked is announced.
void UndrainFor(const v1::UndrainNodesRequest& request,
                v1::UndrainNodesResponse& response, const Actor& actor,
                sql::Pool& pool, sql::Timestamp now);

}  // namespace fluxnetes::services
