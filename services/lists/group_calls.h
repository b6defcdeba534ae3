// The calls of fluxnetes.v1 on many groups: lists from memory, counts, and
// changes of several at once.
//
// Throws GrpcRefusal and sql::Error. Thread-safe.
// Tests: tests/services/lists/group_calls_pgtest.cc.
#pragma once

#include <string>

#include "services/database/audit.h"
#include "services/feed/group_index.h"
#include "services/records/group_changes.h"
#include "services/records/group_name.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::v1 {
class ChangeGroupsRequest;
class ChangeGroupsResponse;
class CountGroupsRequest;
class CountGroupsResponse;
class ListGroupsRequest;
class ListGroupsResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

// For requests of which IsFromMemory() is true. Refused groups come from the
// database.
void ListGroupsFromMemory(const v1::ListGroupsRequest& request,
                          v1::ListGroupsResponse& response, GroupIndex& index,
                          sql::Transaction& transaction);

void CountGroupsFor(const v1::CountGroupsRequest& request,
                    v1::CountGroupsResponse& response, GroupIndex& index,
                    sql::Timestamp now);

// Changes each group in a transaction of its own.
void ChangeGroupsFor(const v1::ChangeGroupsRequest& request,
                     v1::ChangeGroupsResponse& response, sql::Pool& pool,
                     const Principal& caller, const Actor& actor,
                     sql::Timestamp now);

// What is wrong with a change of a priority, for people.
std::string WhyNot(const workers::PriorityChange& change,
                   const GroupName& name);

}  // namespace fluxnetes::services
