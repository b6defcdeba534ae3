// What a Schedule knows: see schedule.h. Events change it, a cycle
// (schedule_cycle.h) decides from it.
//
// Owned by one thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "workers/graph/schedule_graph.h"
#include "workers/pending/blocked_group.h"
#include "workers/pending/pending_line.h"
#include "workers/pending/reservation_plan.h"
#include "workers/schedule/schedule.h"
#include "workers/schedule/schedule_accounts.h"
#include "workers/schedule/schedule_reason.h"

namespace fluxnetes::workers {

using BlockedGroups = std::map<const WaitingGroup*, BlockedGroup, EarlierFirst>;

struct ScheduleQueue {
  QueueSettings settings;
  bool known = false;  // else groups wait in it, but there is no such queue
  BlockedGroups blocked;
  bool growth = false;  // elastic groups may have to make room for its groups
  // Where it goes strictly in order: who was asked last; of the others it is
  // not kept whether they are to be asked.
  GroupId stopped_at = 0;

  bool Runs() const { return known && !settings.paused; }
  bool GoesByFairShares() const {
    return settings.queue_order == QueueOrder::kFairShare;
  }
  // How many groups may be promised something.
  std::size_t Depth() const;
  // Promises are kept from cycle to cycle and only become better; else the one
  // that there is is made anew whenever something may fit.
  bool Keeps() const {
    return settings.queue_policy == QueuePolicy::kConservative ||
           settings.queue_policy == QueuePolicy::kHybrid;
  }
};

// Since when the age of a group counts.
cluster::Time CountsFrom(const PendingGroup& group,
                         const QueueSettings& settings);

inline bool CanRun(const PendingLine& line) {
  return line.queue->Runs() && line.unsatisfiable.empty();
}

// Whether a task of the gang suits one of the nodes, however full they are.
bool MayUseAny(const ScheduleGraph& graph, const matcher::Gang& gang,
               const std::vector<matcher::NodeIndex>& nodes);

struct Schedule::State {
  ScheduleGraph graph;
  ScheduleAccounts accounts{graph};
  PendingLines lines;
  std::map<std::string, ScheduleQueue> queues;
  // All that may make a promise better which was as good as could be, and that
  // a head of a queue that keeps has not seen.
  // and, as far as it is of use, what has taken such room.
  matcher::RoomLog room;
  WaitReasons reasons;
  std::map<GroupId, Reservation> said;  // reservations, by earlier decisions
  // The same by earlier schedules, of groups that were not added yet.
  std::map<GroupId, Reservation> remembered;
  // Of these, reservations are to be taken back whatever follows.
  std::vector<GroupId> unsaid;
  std::deque<GroupId> to_tell;    // whether they are unsatisfiable
  matcher::Time latest = 0;       // time that was seen
  matcher::Time planned_at = -1;  // that of the last cycle
  bool growth = false;  // there has been a group by which another has grown
  bool looks_around = false;  // there have been rules that look at other tasks
  bool changed = true;        // something happened since the decision
  bool more = false;          // the last cycle was cut short
  // From whom on the last cycle withdrew promises, if nothing came of it; 0:
  // from nobody.
  GroupId in_vain = 0;
  std::uint64_t cycle = 0;
  std::uint64_t pass = 1;      // over all promises: some cycles
  std::uint64_t reported = 0;  // the last cycle that said why groups wait

  // From now on groups may have room made for them by elastic ones.
  void NoteGrowth();
  void SetQueue(const QueueSettings& settings);
  void RemoveQueue(const std::string& name);
  void SetAccounts(const std::vector<Account>& settings);
  void Add(PendingGroup group);
  bool Remove(GroupId group);
  void TakePromise(const WaitingGroup& group, Reservation reservation);
  // What it is promised is kept if it can be when it is added again.
  void Remember(GroupId group);
  // Whether the group, as it is known, would need the same for as long.
  bool AsksTheSame(const PendingGroup& group,
                   const RequestCounts& requests) const;
  // What it holds has changed: where it may go, if it has a topology.
  void NoteHeld(GroupId group);
  // As it was added.
  PendingGroup CopyOf(const WaitingGroup& waiting) const;

  // When the first promise is due.
  std::optional<matcher::Time> NextDue() const;
  bool Due(matcher::Time now) const;

  // Takes note of what happened in the graph: which lines to ask again, which
  // promises to look at.
  void TakeChanges(matcher::Time now);
  // The same for one line: whether it is to be asked.
  struct GrownNode;
  bool MayFit(const PendingLine& line, const GraphChanges& changes,
              const std::vector<GrownNode>& grown, bool many) const;

  // Where other tasks are that the rules of the line look at: differs when they
  // have moved so that it may fit.
  std::uint64_t Surroundings(const PendingLine& line) const;
  // How many have come that it needs.
  std::uint64_t Arrivals(const PendingLine& line) const;
  // Takes note of both; if `ask`, lines for which the first has moved are to be
  // asked again, and heads without a time be looked at for whom such have come.
  // True if there are any.
  bool NoteSurroundings(bool ask);
  // Forgets requests that are in use no more.
  void Sweep();
  // The groups whose pods have other labels now, as far as these matter, get
  // into other lines.
  void RelabelWaiting(const PodOf& pod_of);

  // What a line asks of the graph, by its queue's settings.
  void Prepare(PendingLine& line);
  void PrepareLines(ScheduleQueue& queue);
  void AskAll();
  // Nobody but its first is looked at, and nothing promised to it.
  bool GoesInOrder(const ScheduleQueue& queue) const {
    return queue.settings.queue_policy == QueuePolicy::kFcfs &&
           queue.Depth() == 0 && !accounts.Matter();
  }
  // Who can run, of such a queue; null: nobody.
  const WaitingGroup* FirstOf(const ScheduleQueue& queue) const;
  // Where a group stands in the order now that is promised nothing.
  void Stand(const WaitingGroup& group);
  bool IsBlocked(const WaitingGroup& group) const;
  // The heads stand elsewhere in the order; promises are kept if they can be.
  void ReorderBlocked();
  // Whether any queue goes by fair shares.
  void NoteOrders();
  // Adds the groups of the queue, or all, anew: what lines they belong to, or
  // in what order, is otherwise.
  void AddAgain(const ScheduleQueue* queue);
  // Gives back what is promised.
  void Withdraw(const WaitingGroup& group, BlockedGroup& blocked);
  // They are heads no longer. Who may start now that they are promised nothing
  // is for the caller to ask.
  BlockedGroups::iterator Forget(ScheduleQueue& queue,
                                 BlockedGroups::iterator blocked);
  void ForgetAll(ScheduleQueue& queue);
  // This is promised no more to the gang.
  void Free(const ReservedNodes& reserved, const matcher::Gang& gang);
  // This is now, after something was freed.
  void Take(const ReservedNodes& reserved, const matcher::Gang& gang);
  // Whether a head of a queue that keeps is to be looked at again. Forgets what
  // all of them have seen of what was freed.
  bool AnyToLookAt();
  // Whether the promise to the group may become better by the changes, also by
  // the room that they give or not; whether it may be broken by them.
  bool MayImprove(const GraphChanges& changes, const WaitingGroup& group,
                  const BlockedGroup& blocked, bool by_room) const;
  static bool MayBreak(const GraphChanges& changes,
                       const BlockedGroup& blocked);
  // The group waits no longer.
  void Drop(GroupId group);
};

}  // namespace fluxnetes::workers
