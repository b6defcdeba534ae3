// How much room some victims would leave to a gang, counted node by node: of
// amounts, of pools, and inside of nodes for tasks that ask for an inside. It
// takes no plan in the graph, so it tells quickly which victims cannot be
// enough; that some are is proved by a plan.
//
// What others hold at `now` is taken to stay. Owned by one thread; the graph
// must not change in the meantime, but for the ends of the victims.
// Tests: tests/workers/schedule/preemption_test.cc,
// tests/workers/schedule/preemption_inside_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "workers/preemption/victim_candidates.h"

namespace fluxnetes::workers {

class RoomOfVictims {
 public:
  using Positions = std::vector<std::size_t>;  // in the candidates

  // All must outlive it.
  RoomOfVictims(ScheduleGraph& graph, const matcher::Gang& gang,
                const std::vector<VictimCandidate>& candidates,
                matcher::Time now);

  // Whether the gang may fit without these victims.
  bool MayBeEnough(const Positions& victims);

  // Returns those, at most `count`, that leave room for most tasks, in order of
  // position. One that leaves a place inside of a node goes before one that
  // leaves amounts alone.
  Positions Largest(std::size_t count);

 private:
  // What some victims leave on a node.
  struct Left {
    Amounts amounts;
    std::vector<matcher::JobId> victims;
  };

  void Count();
  bool PoolsAreEnough(const std::map<matcher::NodeIndex, Left>& left);
  // How many such tasks the node takes with so much free, without the victims.
  std::int64_t TasksOn(matcher::NodeIndex node, const Amounts& free,
                       const matcher::TaskGroup& task,
                       const std::vector<matcher::JobId>& without);
  double GainOf(const VictimCandidate& candidate);
  double PartOfPool(matcher::NodeIndex pool, const Amounts& amounts) const;

  ScheduleGraph& graph_;
  const matcher::Gang& gang_;
  const std::vector<VictimCandidate>& candidates_;
  const matcher::Time now_;
  // Counted at the first question, as most gangs have no candidates.
  std::map<matcher::NodeIndex, Amounts> room_;  // where the gang may go
  std::map<matcher::NodeIndex, std::vector<std::int64_t>> fits_on_;
  std::vector<std::int64_t> fits_;  // of each of its tasks
};

}  // namespace fluxnetes::workers
