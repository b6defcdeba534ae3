// The state of the scheduler, as its database has it, as the beginning of a
// simulation: queues, nodes, what runs and what waits.
//
// Nobody knows how long groups will run: those with a duration are taken to use
// all of it, those without one run to the end. What others use of a node is
// taken off it. The table of nodes has no taints, so none count; and of a group
// of which only some pods hold a place, the others are left out.
#pragma once

#include "sql/pool.h"
#include "workers/simulation.h"

namespace fluxnetes::services {

// `now` is when the run begins, in seconds since the epoch. Throws sql::Error.
workers::Scenario ReadSnapshot(sql::Pool& pool, std::int64_t now);

}  // namespace fluxnetes::services
