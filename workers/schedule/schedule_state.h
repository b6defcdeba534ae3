// What a Schedule knows (schedule.h), by noun. Events change it here; a cycle
// (schedule_cycle.h) decides from it.
//
//   graph     nodes, what groups hold on them, what is booked for later
//   accounts  quotas and fair shares
//   lines     the groups that wait, in pending order
//   queues    the queues, and what is kept for their blocked groups
//   reported  the reservations that decisions have reported
//   reasons   why groups wait, as reported
//   cycles    what one cycle leaves to the next
//
// Owned by one thread.
// Tests: tests/workers/schedule/schedule_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/pending/blocked_group.h"
#include "workers/pending/pending_line.h"
#include "workers/pending/schedule_queues.h"
#include "workers/schedule/reported_reservations.h"
#include "workers/schedule/schedule.h"
#include "workers/schedule/schedule_accounts.h"
#include "workers/schedule/schedule_reason.h"

namespace fluxnetes::workers {

// Since when the age of a group counts.
cluster::Time CountsFrom(const PendingGroup& group,
                         const QueueSettings& settings);

inline bool CanRun(const PendingLine& line) {
  return line.queue->Runs() && line.unsatisfiable.empty();
}

// Counts of the pods that the line's rules look at: the first differs when such
// pods have moved so that the line may fit, the second when some have come that
// it needs.
std::uint64_t AffinityVersion(const ScheduleGraph& graph,
                              const PendingLine& line);
std::uint64_t AffinityArrivals(const ScheduleGraph& graph,
                               const PendingLine& line);

struct CycleNotes {
  matcher::Time now = 0;  // the latest time that was given
  bool changed = true;    // something happened since the last decision
  bool more = false;      // the last cycle was cut short
  std::uint64_t cycle = 0;
  std::uint64_t pass = 1;         // over all blocked groups: some cycles
  std::uint64_t reported_in = 0;  // the last cycle that said why groups wait
  matcher::Time planned_at = -1;  // the time of the last cycle
  // The first group whose reservations, and those behind, the last cycle
  // withdrew in vain; 0: none.
  GroupId in_vain = 0;
};

struct Schedule::State {
  ScheduleGraph graph;
  ScheduleAccounts accounts{graph};
  PendingLines lines;
  ScheduleQueues queues{graph};
  ReportedReservations reported;
  WaitReasons reasons;
  CycleNotes cycles;
  bool looks_around = false;  // there have been rules that look at other pods

  // From now on groups may have room made for them by elastic ones.
  void NoteGrowth();
  void SetQueue(const QueueSettings& settings);
  void RemoveQueue(const std::string& name);
  void SetAccounts(const std::vector<Account>& settings);
  void SetPools(const std::vector<Pool>& pools);

  // Adds a group that waits, or replaces it.
  void Add(PendingGroup group);
  // False: it does not wait.
  bool Remove(GroupId group);
  // Keeps what an earlier schedule reserved for the group, if that can be.
  void Remember(const WaitingGroup& group, const Reservation& reservation);
  // Keeps what is reserved for the group for when it is added again.
  void RememberAgain(GroupId group);
  // What the group holds has changed, so that, if it has a topology or whole
  // nodes, it and those that extend it may go elsewhere.
  void NoteHeld(GroupId group);
  void NoteHeldOf(GroupId family);  // as in HolderOf()
  // Whether its other pods are elsewhere than when it was added, and it matters
  // to the group.
  bool IsOutdated(const WaitingGroup& waiting) const;
  // The group as it was added, without its members.
  PendingGroup CopyOf(const WaitingGroup& waiting) const;
  // Puts groups whose pods have other labels now, as far as rules look at them,
  // into the lines where they belong.
  void RelabelWaiting(const PodOf& pod_of);

  // Whether the start of a reservation has come.
  bool IsDue(matcher::Time now) const;
  // Takes note of what happened in the graph and of reservations that are due:
  // which lines are to be asked again, and which blocked groups are to be
  // looked at.
  void TakeChanges(matcher::Time now);
  // Takes note of the pods that rules look at; if `ask`, lines that may fit by
  // these are to be asked again, and blocked groups to be looked at. True if
  // there are any.
  bool NoteAffinityVersions(bool ask);
  // Forgets requests that are not in use any more.
  void Sweep();

  // Whether only the first group of the queue is looked at, and nothing is
  // kept for it.
  bool GoesInOrder(const ScheduleQueue& queue) const {
    return queue.settings.queue_policy == QueuePolicy::kFcfs &&
           queue.Depth() == 0 && !accounts.Matter();
  }
  // The first group of such a queue that can run; null: there is none.
  const WaitingGroup* FirstOf(const ScheduleQueue& queue) const;
  // Puts a group that is not blocked where its account stands by now.
  void Stand(const WaitingGroup& group);

 private:
  // Whether it matters where other pods of such a group are.
  static bool LooksAtItsOthers(const RequestCounts& requests,
                               const ScheduleQueue& queue);
  // The claims of several pods among those of the requests that other pods of
  // the group have devices of.
  std::vector<std::string> CountedClaims(GroupId group,
                                         const RequestCounts& requests) const;
  // Whether the group, as it is known, needs the same for as long.
  bool AsksTheSame(const PendingGroup& group,
                   const RequestCounts& requests) const;
  // Sets what a line asks of the graph, by its queue's settings.
  void Prepare(PendingLine& line);
  void TakeUncounted(PendingLine& line);
  void PrepareLines(ScheduleQueue& queue);
  // Puts the blocked groups where their accounts stand by now. What is kept for
  // them is withdrawn.
  void ReorderBlocked();
  // Takes note of whether any queue goes by fair shares.
  void NoteOrders();
  // Adds the groups of the queue, or all, again, since the lines that they
  // belong to, or their order, have changed.
  void AddAgain(const ScheduleQueue* queue);
  // The group leaves its line.
  void Drop(GroupId group);
  void TakeDueReservations(matcher::Time now);
};

}  // namespace fluxnetes::workers
