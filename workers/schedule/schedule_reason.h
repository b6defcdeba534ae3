// Why groups wait, in words for their owners. A reason stays the same as long
// as nothing changes that an owner could act on.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "matcher/policy.h"
#include "workers/decision/decision.h"
#include "workers/decision/queue_settings.h"
#include "workers/graph/schedule_graph.h"
#include "workers/pending/pending_line.h"

namespace fluxnetes::workers {

// The topology that the pods ask for, which is the same for all.
cluster::GroupTopology TopologyOf(const RequestCounts& requests);

// "8 × (2 cpu, 4Gi) + 1 × (1 cpu)"
std::string Needs(const RequestCounts& requests);
// The same with what the line's groups need of pools: "..., 3 of pool matlab".
std::string Needs(const PendingLine& line);

// Writes into the line why its groups cannot fit even on empty nodes, and, if
// its requests differ and one of them is the cause, which.
void SayUnsatisfiable(const ScheduleGraph& graph, const QueueSettings& queue,
                      PendingLine& line);

// Returns what is missing now for the groups of a line that did not fit.
Shortage FindShortage(const ScheduleGraph& graph, const PendingLine& line,
                      matcher::Time now);
std::string Describe(const Shortage& shortage, const PendingLine& line);

// Writes into the line what is missing: anew when it differs in kind, and its
// numbers every minute or so, not each time that they move. If `explain`, with
// what keeps its pods from how many nodes; true if that was looked at, which is
// slow.
bool SayShortage(const ScheduleGraph& graph, PendingLine& line,
                 matcher::Policy policy, matcher::Time now, bool explain);

// Writes into the line which quota it waits for, numbers every minute or so.
void SayRefusal(const ScheduleGraph& graph, const std::string& account,
                const Quotas::Refusal& refusal, matcher::Time now,
                PendingLine& line);

// The reasons reported for the shapes of each queue, so that only news are.
class WaitReasons {
 public:
  struct Whom {
    std::string queue;
    std::int64_t shape = 0;
    std::string namespace_name;
    std::string account;
    auto operator<=>(const Whom&) const = default;
  };
  // Sets the reason of a shape: the first of a round counts. Cheap in order of
  // `whom`.
  void Say(Whom whom, WaitReason::Kind kind, const std::string& reason);
  // The reason is as it was.
  void Keep(const Whom& whom);
  // Ends the round, and returns what differs from the one before. A reason that
  // was neither set nor kept in it is taken back.
  std::vector<WaitReason> TakeChanges();

 private:
  struct Reason {
    std::string said;
    std::string now;
    WaitReason::Kind kind = WaitReason::Kind::kRoom;  // of now
    bool spoken = false;                              // in this round
  };
  using Reasons = std::map<Whom, Reason>;

  Reasons reasons_;
  Reasons::iterator next_ = reasons_.begin();
};

}  // namespace fluxnetes::workers
