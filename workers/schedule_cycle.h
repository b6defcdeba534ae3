// One cycle of a Schedule: all lines in the order of their first groups, each
// asked as long as its groups fit. What stands against a group are the promises
// to the heads before it, never those to heads behind it: these are withdrawn
// first and made anew when their turn comes. Heads before the first group that
// may fit, or whose promise has to be looked at, keep theirs untouched.
//
// Lives for one cycle.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workers/schedule_state.h"

namespace fluxnetes::workers {

class Cycle {
 public:
  Cycle(Schedule::State& state, matcher::Time now, int limit)
      : state_(state), now_(now), limit_(limit) {}

  Decision Run();

 private:
  using Why = std::pair<WaitReason::Kind, std::string>;

  struct Turn {  // of a queue, in this cycle
    int failed = 0;
    bool stopped = false;
    bool has_head = false;
  };

  void CheckSatisfiable();
  void Tell();
  void Tell(WaitingGroup& group);

  const WaitingGroup* WhereToBegin() const;
  void WithdrawFrom(const WaitingGroup& first);
  void Walk();
  void Push(PendingLine* line);
  PendingLine* Pop();

  // Whether the first group of the line was placed.
  bool Ask(PendingLine& line);
  matcher::MatchResult Allocate(const WaitingGroup& group);
  void Place(const WaitingGroup& group,
             const std::vector<matcher::NodeIndex>& nodes);
  void EnterDrained(const std::vector<matcher::NodeIndex>& nodes);
  std::vector<PlacedMember> MembersOn(
      const WaitingGroup& group,
      const std::vector<matcher::NodeIndex>& nodes) const;
  void Fail(PendingLine& line);
  // False: its first group fits after all.
  bool MakeHead(ScheduleQueue& queue, PendingLine& line);
  void AskBehind();

  void Report();
  void ReportReservations();
  Why WhyNotAsked(const PendingLine& line) const;

  Schedule::State& state_;
  const matcher::Time now_;
  const int limit_;
  std::map<const ScheduleQueue*, Turn> turns_;
  std::vector<PendingLine*> heap_;  // the first group that is earliest on top
  Ahead ahead_;
  int explained_ = 0;  // nodes that were looked at for reasons
  Decision decision_;
};

}  // namespace fluxnetes::workers
