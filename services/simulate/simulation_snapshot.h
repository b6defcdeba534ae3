// The state of the scheduler in the database as the start of a simulation:
// queues, nodes, running and waiting groups.
//
// Run times are unknown: a group with a duration is assumed to use all of it,
// one without runs to the end. The usage of unmanaged pods is taken off their
// nodes. Reservations of waiting groups are kept as by a restarted scheduler.
// No table has pod labels, so rules about other pods are left out. A group of
// which some pods are bound and others wait is two groups of the scenario: the
// one holds its nodes, the other has the pods that wait.
// Tests: tests/services/simulate/simulate_snapshot_pgtest.cc.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sql/connection/pool.h"
#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

struct Snapshot {
  workers::Scenario scenario;
  std::vector<std::string> notes;  // what was left out, for people
  // Index in the scenario, by the group's id.
  std::map<workers::GroupId, int> numbers;
  // Of groups bound in part: the index of the pods that wait.
  std::map<workers::GroupId, int> waiting_parts;

  // Returns the index of the group's pods that wait; nullopt: none do.
  std::optional<int> WaitingPartOf(workers::GroupId id) const;
};

// `now` is the start of the simulation, in seconds since the epoch. Throws
// sql::Error.
Snapshot ReadSnapshot(sql::Pool& pool, std::int64_t now);

// Reads only the nodes. Throws sql::Error.
std::vector<cluster::Node> ReadSnapshotNodes(sql::Pool& pool);

// Names the scenario's groups from index `from` on whose pods have rules about
// other pods: "a/train, a/serve and 3 more"; empty: none.
std::string WithRulesAboutPods(const workers::Scenario& scenario,
                               std::size_t from);

}  // namespace fluxnetes::services
