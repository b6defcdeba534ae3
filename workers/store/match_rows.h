// Decodes rows of the match queries into values, for owners of a component
// (match_store.h) and for its readers (component_snapshot.h).
// Tests: tests/workers/match/match_worker_pgtest.cc,
// tests/workers/store/component_snapshot_pgtest.cc.
#pragma once

#include <string>
#include <vector>

#include "sql/connection/result.h"
#include "workers/decision/decision.h"
#include "workers/decision/held.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/decision/pool.h"
#include "workers/decision/queue_settings.h"
#include "workers/decision/request_maker.h"

namespace fluxnetes::workers {

QueueSettings SettingsIn(const sql::Row& row);
// The group without its members and its lease.
PendingGroup WaitingGroupIn(const sql::Row& row);
Reservation ReservationIn(const sql::Row& row);
Pool PoolIn(const sql::Row& row);
PoolHold PoolHoldIn(const sql::Row& row);
std::string PoolsText(const cluster::PoolAmounts& pools);  // as JSON
MaintenanceWindow WindowIn(const sql::Row& row);
// The allocations, from rows in order of their ids.
std::vector<Held> HeldIn(const sql::Result& rows, const RequestMaker& requests);

}  // namespace fluxnetes::workers
