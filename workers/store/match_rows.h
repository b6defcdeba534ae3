// What the queries of the match say, as values: for those who own a component
// (match_store.h) and those who only look at it (component_snapshot.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sql/connection/result.h"
#include "workers/decision/decision.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

// One object for each distinct request.
using RequestMaker =
    std::function<const cluster::PodRequest*(const std::string& request_json)>;

QueueSettings SettingsIn(const sql::Row& row);
// Without its members and its lease.
PendingGroup WaitingGroupIn(const sql::Row& row);
Reservation ReservationIn(const sql::Row& row);
MaintenanceWindow WindowIn(const sql::Row& row);
// What allocations hold, from rows in order of their numbers.
std::vector<Held> HeldIn(const sql::Result& rows, const RequestMaker& made);

}  // namespace fluxnetes::workers
