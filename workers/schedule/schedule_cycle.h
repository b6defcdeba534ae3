// One cycle of a Schedule: the groups in order, each asked as long as its line
// fits. What stands against a group are the promises to the heads before it,
// never those to heads behind it: where these could be in the way they are
// withdrawn first, and looked at again when their turn comes. Heads before the
// first group that may fit, or whose promise has to be looked at, keep theirs
// untouched.
//
// Lives for one cycle.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workers/graph/misfits.h"
#include "workers/schedule/preemption.h"
#include "workers/schedule/schedule_state.h"

namespace fluxnetes::workers {

class Cycle {
 public:
  Cycle(Schedule::State& state, matcher::Time now, int limit)
      : state_(state),
        now_(now),
        limit_(limit),
        misfits_(state.graph.graph()) {}

  Decision Run();

 private:
  using Why = std::pair<WaitReason::Kind, std::string>;

  struct Turn {      // of a queue, in this cycle
    int failed = 0;  // lines that do not fit
    bool stopped = false;
    std::size_t blocked = 0;
    bool drains = false;  // one of these has a drain set by choice
  };

  // How it went with a group.
  enum class Step {
    kStarted,
    kReserved,  // those behind it in its line may be promised something too
    kWaits,     // as do all behind it in its line
  };

  void CheckSatisfiable();
  void Tell();
  void Tell(WaitingGroup& group);

  // Where they stand in the order.
  void RankFronts();
  const WaitingGroup* WhereToBegin() const;
  const WaitingGroup* WhereToBegin(const ScheduleQueue& queue) const;
  // Whose turn it may be first.
  std::vector<const WaitingGroup*> Fronts() const;
  void Walk();
  // Where its account has no quota for it, if it takes so long.
  std::optional<Quotas::Refusal> RefusalOf(const WaitingGroup& group,
                                           matcher::Time duration);
  void PassOver(const WaitingGroup& group, const Quotas::Refusal& refusal);
  Step Visit(const WaitingGroup& group);

  // Whether the group was placed.
  bool Start(const WaitingGroup& group);
  // The same; if not, its line need not be asked again.
  bool Ask(const WaitingGroup& group);
  // Whether it would be over before those are due who have not been promised
  // anew what they were.
  bool MayGoAhead(const PendingLine& line) const;
  void Fail(PendingLine& line);
  std::optional<matcher::Placement> Allocate(const WaitingGroup& group);
  void Place(const WaitingGroup& group,
             const std::vector<matcher::NodeIndex>& nodes);
  void EnterDrained(const std::vector<matcher::NodeIndex>& nodes);
  std::vector<PlacedMember> MembersOn(
      const WaitingGroup& group,
      const std::vector<matcher::NodeIndex>& nodes) const;

  // Reservations: schedule_reservations.cc.
  // Something that stood against the groups from here on does so no more.
  void AskBehind();
  // The same, and promises may become better by it, also before it.
  void Moved(const ReservedNodes& before, const matcher::Gang& gang);
  void WithdrawFrom(const WaitingGroup& first);
  // They stand before anything is promised anew.
  void BookRemembered();
  // Those behind the group that stand; false: there are none.
  bool WithdrawBehind(const WaitingGroup& group);
  // Of these who has places of which no rule is to be asked.
  void RebookBehind(const WaitingGroup& group);
  Step Reserve(const WaitingGroup& group);
  // A promise of a queue that keeps them.
  Step Keep(const WaitingGroup& group, BlockedGroup& blocked);
  // It stands, but could be better or is broken.
  Step Improve(const WaitingGroup& group, BlockedGroup& blocked);
  // It stays booked if that is sure to be possible where none is found.
  ReservationPlan FindEarlier(const WaitingGroup& group, BlockedGroup& blocked,
                              bool broken);
  // Whether what it lacks for an earlier start may have come free since the
  // head was looked at.
  bool MayGain(const WaitingGroup& group, BlockedGroup& blocked) const;
  // Whether it can stand again, which it does then.
  bool BookAgain(const WaitingGroup& group, BlockedGroup& blocked);
  // Makes it anew, those behind withdrawn.
  Step Plan(const WaitingGroup& group, BlockedGroup& blocked);
  // It has to wait for the next cycle.
  Step PutOff(const WaitingGroup& group, BlockedGroup& blocked);
  // It stands before the groups to come.
  Step Count(const WaitingGroup& group, BlockedGroup& blocked);
  // What it is promised is its own also of the quota.
  void ClaimQuota(const WaitingGroup& group);

  // Evictions: schedule_preemption.cc.
  // Whether it is to be looked for others to evict for it. Not in a cycle that
  // has placed groups, which would be among them: in the next.
  bool MayEvict(const WaitingGroup& group);
  // Whether elastic groups may be there that have grown.
  bool MayShrinkOthers(const WaitingGroup& group) const;
  static Preemption PreemptionBy(const WaitingGroup& group);
  bool MayPreempt(const WaitingGroup& group, const BlockedGroup& blocked);
  std::uint64_t GroundOf(const WaitingGroup& group) const;
  // Whether others leave for it: it is a head whatever comes before it, or who
  // stands behind would take what they leave bit by bit.
  bool IsLeftFor(const WaitingGroup& group) const;
  // Whether it is that, or was when it was last looked at: in a queue that
  // stops at its first it is asked once more, before those behind it take what
  // was left for it.
  bool WasLeftFor(const WaitingGroup& group) const;
  // Whether others were evicted; then it is promised their places.
  bool Preempt(const WaitingGroup& group, BlockedGroup& blocked, Lack lack);
  // The group is refused, and may take back what it waits for, or others do or
  // did so already; nothing: it may not.
  std::optional<Step> TakeBack(const WaitingGroup& group,
                               const Quotas::Refusal& refusal);
  // It waits for quota of groups that leave, the last of them then.
  std::optional<Step> Await(const WaitingGroup& group, matcher::Time until);
  // Whether its nodes are still kept for it when their time has come.
  bool KeepsOn(const WaitingGroup& group, BlockedGroup& blocked);

  void ForgetBehind(const WaitingGroup& group);
  void ForgetUnseen();

  // What is said: schedule_report.cc.
  // If `late`, of those that were asked: the others wait as they did.
  void Report(bool late);
  void ReportReservations();
  bool IsPromised(GroupId group) const;
  Why WhyWaits(const PendingLine& line) const;
  Why WhyNotAsked(const PendingLine& line) const;

  Schedule::State& state_;
  const matcher::Time now_;
  const int limit_;
  Misfits misfits_;
  std::map<const ScheduleQueue*, Turn> turns_;
  Ahead ahead_;
  // Who has been asked so far and does not start, though quota allows it: of
  // each line the first, and all that are promised something.
  std::vector<const WaitingGroup*> before_;
  int plans_ = 0;     // promises that were looked for
  bool cut_ = false;  // promises are left to the next cycle
  // When the first of those is due whose promise could not be looked at yet.
  matcher::Time horizon_ = matcher::kForever;
  int explained_ = 0;          // nodes that were looked at for reasons
  bool walked_ = false;        // through all groups
  bool moved_ = false;         // a reservation, or one was given up
  bool asked_behind_ = false;  // all are to be asked that may be
  bool again_ = false;         // something moved that groups before it may need
  bool refused_ = false;       // a group waits for quota
  Decision decision_;
};

}  // namespace fluxnetes::workers
