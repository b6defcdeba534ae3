// One cycle of a Schedule: visits the waiting groups in pending order. Of each
// line it tries groups until one does not fit.
//
// What holds against a group are the reservations of blocked groups ahead of
// it, never those of groups behind it. Where the latter could be in the way,
// they are withdrawn first, and booked again or planned anew when their turn
// comes. Blocked groups ahead of the first group that may fit, or whose
// reservation has to be looked at, keep theirs untouched.
//
//   schedule_cycle.cc         the walk: visit, ask, place
//   schedule_reservations.cc  what is kept for groups that do not fit
//   schedule_preemption.cc    evictions for them
//   schedule_report.cc        what the decision says of reservations and why
//                             groups wait
//
// Lives for one cycle.
// Tests: tests/workers/schedule/schedule_test.cc,
// tests/workers/schedule/schedule_blocked_test.cc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workers/graph/unschedulable_shapes.h"
#include "workers/preemption/preemption.h"
#include "workers/schedule/schedule_state.h"

namespace fluxnetes::workers {

class Cycle {
 public:
  Cycle(Schedule::State& state, matcher::Time now, int limit)
      : state_(state),
        now_(now),
        limit_(limit),
        unschedulable_(state.graph.graph()) {}

  Decision Run();

 private:
  using Why = std::pair<WaitReason::Kind, std::string>;

  struct Turn {      // of a queue, in this cycle
    int failed = 0;  // lines that do not fit
    bool stopped = false;
    std::size_t blocked = 0;  // groups
    bool drains = false;      // for one of these a drain set was chosen
  };

  // The outcome of a visit to a group.
  enum class Step {
    kStarted,
    kReserved,  // nodes may be kept for the next of its line, too
    kWaits,     // as do all behind it in its line
  };

  // Finds out which lines can never fit.
  void CheckSatisfiable();
  // Adds verdicts to the decision: which groups can never fit, and which can
  // again.
  void AddVerdicts();
  void AddVerdict(WaitingGroup& group);

  // Puts the first group of each line where its account stands in the order.
  void RankFronts();
  // The first group that may fit, or whose reservation is to be looked at.
  // Null: none.
  const WaitingGroup* WhereToBegin() const;
  const WaitingGroup* WhereToBegin(const ScheduleQueue& queue) const;
  // The groups that may have the first turn.
  std::vector<const WaitingGroup*> Fronts() const;
  void Walk();
  // Returns which account has no quota for the group, if it takes so long.
  std::optional<Quotas::Refusal> RefusalOf(const WaitingGroup& group,
                                           matcher::Time duration);
  void PassOver(const WaitingGroup& group, const Quotas::Refusal& refusal);
  Step Visit(const WaitingGroup& group);

  // Starts the group if it fits.
  bool Start(const WaitingGroup& group);
  // The same, if need be with what is kept for groups behind it withdrawn. If
  // it does not fit, its line need not be asked again.
  bool Ask(const WaitingGroup& group);
  // Whether the line's groups would end before the start of any reservation
  // that is yet to be looked at.
  bool MayGoAhead(const PendingLine& line) const;
  void Fail(PendingLine& line);
  std::optional<matcher::Placement> Allocate(const WaitingGroup& group);
  matcher::JobId JobOf(const WaitingGroup& group) const;
  void Place(const WaitingGroup& group, const matcher::Placement& placement);
  void EnterDrained(const std::vector<matcher::NodeIndex>& nodes);
  // Gives each member of the group its node.
  std::vector<PlacedMember> MembersOn(
      const WaitingGroup& group, const matcher::Placement& placement) const;
  // What each of its tasks, which are booked, has inside of its node.
  std::vector<std::string> ResourceSetsOf(
      const WaitingGroup& group, const matcher::Placement& placement) const;

  // Reservations: schedule_reservations.cc.

  // Asks the lines again that may fit now that less is kept for others.
  void AskBehind();
  // The same; blocked groups behind the group may gain by it, too.
  void Moved(const WaitingGroup& group, const ReservedNodes& before);
  // Books what an earlier schedule reserved before anything is planned.
  void BookRemembered();
  // Books again those reservations behind the group whose places are known and
  // need no rule check.
  void RebookBehind(const WaitingGroup& group);
  // Makes the group a blocked one.
  Step Block(const WaitingGroup& group);
  // Visits a blocked group of a queue that keeps its reservations.
  Step Keep(const WaitingGroup& group, BlockedGroup& blocked);
  // Looks for an earlier start, or another if the reservation is broken.
  Step Improve(const WaitingGroup& group, BlockedGroup& blocked);
  // Looks for an earlier start. The reservation stays booked unless the search
  // must run without it, as it does if it is `broken`.
  ReservationPlan FindEarlier(const WaitingGroup& group, BlockedGroup& blocked,
                              bool broken);
  // Whether what the group lacks for an earlier start may have become free
  // since it was looked at.
  bool MayGain(const WaitingGroup& group, BlockedGroup& blocked) const;
  // Books the reservation again if it can be kept.
  bool BookAgain(const WaitingGroup& group, BlockedGroup& blocked);
  // Plans the reservation anew, with those behind withdrawn.
  Step Plan(const WaitingGroup& group, BlockedGroup& blocked);
  // Leaves it to the next cycle.
  Step PutOff(const WaitingGroup& group, BlockedGroup& blocked);
  // Counts what is kept for the group against those to come.
  Step Count(const WaitingGroup& group, BlockedGroup& blocked);
  // Keeps the quota for the group, too.
  void ClaimQuota(const WaitingGroup& group);
  // Forgets the blocked groups of its queue behind the group, which is the last
  // within the depth.
  void ForgetBehind(const WaitingGroup& group);
  // Forgets the blocked groups that had no turn in this cycle.
  void ForgetUnseen();

  // Evictions: schedule_preemption.cc.

  // Whether to look for others to evict for the group. Not in a cycle that has
  // placed groups, which could be among them: in the next.
  bool MayEvict(const WaitingGroup& group);
  // Whether elastic groups may have grown that could make room.
  bool MayShrinkOthers(const WaitingGroup& group) const;
  static Preemption PreemptionBy(const WaitingGroup& group);
  bool MayPreempt(const WaitingGroup& group, const BlockedGroup& blocked);
  std::uint64_t GroundOf(const WaitingGroup& group) const;
  // Whether groups that were evicted for it hold something still. Then it is
  // blocked whatever comes ahead of it, or groups behind it would take what
  // the victims leave bit by bit.
  bool IsLeftFor(const WaitingGroup& group) const;
  // The same, or so it was when it was last looked at: in a queue that stops at
  // its first group it is asked once more, before those behind it take what was
  // left for it.
  bool WasLeftFor(const WaitingGroup& group) const;
  // Evicts others, if that helps, and reserves their places for the group.
  bool Preempt(const WaitingGroup& group, BlockedGroup& blocked, Lack lack);
  // Lets a group that is refused for quota take back what it lent, or wait for
  // groups that are leaving already. None: it may not.
  std::optional<Step> TakeBack(const WaitingGroup& group,
                               const Quotas::Refusal& refusal);
  // Reserves nodes from `until` on, when the last group that holds its quota
  // has left.
  std::optional<Step> Await(const WaitingGroup& group, matcher::Time until);
  // Keeps nodes whose start has come as a drain set, if they can be kept.
  bool KeepsOn(const WaitingGroup& group, BlockedGroup& blocked);

  // Reports: schedule_report.cc.

  // If `late`, only of groups that were asked: the others wait as they did.
  void Report(bool late);
  void ReportReservations();
  bool IsReserved(GroupId group) const;
  Why WhyWaits(const PendingLine& line) const;
  Why WhyNotAsked(const PendingLine& line) const;

  Schedule::State& state_;
  const matcher::Time now_;
  const int limit_;
  UnschedulableShapes unschedulable_;
  std::map<const ScheduleQueue*, Turn> turns_;
  Ahead ahead_;
  // Groups that had a turn and do not start, though quota allows it: the first
  // of each line, and all that are blocked.
  std::vector<const WaitingGroup*> before_;
  int plans_ = 0;     // searches for a reservation
  bool cut_ = false;  // some are left to the next cycle
  // The earliest start of a reservation that could not be looked at yet.
  matcher::Time horizon_ = matcher::kForever;
  int explained_ = 0;          // nodes that were looked at for reasons
  bool walked_ = false;        // through all groups
  bool moved_ = false;         // a reservation has moved, or was given up
  bool asked_behind_ = false;  // all lines are to be asked that may be
  bool again_ = false;         // groups ahead may need what moved
  bool refused_ = false;       // a group waits for quota
  Decision decision_;
};

}  // namespace fluxnetes::workers
