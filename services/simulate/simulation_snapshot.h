// The state of the scheduler, as its database has it, as the beginning of a
// simulation: queues, nodes, what runs and what waits.
//
// Nobody knows how long groups will run: those with a duration are taken to use
// all of it, those without one run to the end. What others use of a node is
// taken off it. What groups that wait are promised is kept as by a scheduler
// that starts anew. No table has labels of pods, so rules about other pods are
// left out; and of a group of which only some pods hold a place, the others
// are.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sql/connection/pool.h"
#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

struct Snapshot {
  workers::Scenario scenario;
  std::vector<std::string> notes;  // what was left out, for people
  // Groups of the records, by their number: where they are in the scenario.
  std::map<workers::GroupId, int> numbers;
};

// `now` is when the run begins, in seconds since the epoch. Throws sql::Error.
Snapshot ReadSnapshot(sql::Pool& pool, std::int64_t now);

// Its nodes alone. Throws sql::Error.
std::vector<cluster::Node> ReadSnapshotNodes(sql::Pool& pool);

// Groups of a scenario, from that one on, whose pods have rules about other
// pods: "a/train, a/serve and 3 more"; empty: none.
std::string WithRulesAboutPods(const workers::Scenario& scenario,
                               std::size_t from);

}  // namespace fluxnetes::services
