// Rows of the database as messages of fluxnetes.v1, and the names of states in
// both.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <string>
#include <string_view>

#include "services/grpc_cluster/message_time.h"
#include "services/records/group_detail.h"
#include "services/records/group_row.h"
#include "sql/connection/result.h"

namespace fluxnetes::v1 {
class Generation;
class Group;
class Member;
class Queue;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

void Fill(v1::Group& message, const GroupRow& group);
void Fill(v1::Member& message, const MemberRow& member);
void Fill(v1::Generation& message, const Generation& generation);

// Takes a row of the query list_queues.
void FillQueue(v1::Queue& message, const sql::Row& row);

// Returns "pending" etc. for a v1::GroupState; empty if it is none.
std::string StateName(int state);
// Returns the v1::GroupPhase named "queued" etc.; 0 if there is none.
int PhaseNumber(std::string_view name);

}  // namespace fluxnetes::services
