// Why groups wait, in words for the people whose pods they are. A reason stays
// the same as long as nothing changes that they could act on.
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

// "8 × (2 cpu, 4Gi) + 1 × (1 cpu)"
std::string Needs(const RequestCounts& requests);

// Says in the line why its groups cannot fit even on empty nodes, and, if its
// requests differ and one of them is the cause, which.
void SayUnsatisfiable(const ScheduleGraph& graph, const QueueSettings& queue,
                      PendingLine& line);

// What is missing now for the groups of a line that did not fit.
Shortage FindShortage(const ScheduleGraph& graph, const PendingLine& line,
                      matcher::Time now);
std::string Describe(const Shortage& shortage, const RequestCounts& requests);

// Says in the line what is missing: anew when it differs in kind, and its
// numbers every minute or so, not each time that they move. If `explain`, with
// what keeps its pods from how many nodes; true if that was looked at (it is
// slow).
bool SayShortage(const ScheduleGraph& graph, PendingLine& line,
                 matcher::Policy policy, matcher::Time now, bool explain);

// Says in the line which quota it waits for: numbers, too, every minute or so.
void SayRefusal(const ScheduleGraph& graph, const std::string& account,
                const Quotas::Refusal& refusal, matcher::Time now,
                PendingLine& line);

// What was said about the shapes of each queue, to say only what is new.
class WaitReasons {
 public:
  struct Whom {
    std::string queue;
    std::int64_t shape = 0;
    std::string namespace_name;
    std::string account;
    auto operator<=>(const Whom&) const = default;
  };
  // Of the lines of a shape, the first that speaks in a round counts. Cheap if
  // they speak in order.
  void Say(Whom whom, WaitReason::Kind kind, const std::string& reason);
  // It is as it was.
  void Keep(const Whom& whom);
  // Ends the round: what differs from the one before. Of whom nothing was said
  // in it, the reason is taken back.
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
