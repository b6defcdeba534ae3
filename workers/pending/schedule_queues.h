// The queues of a schedule and the blocked groups of each.
//
// It cancels in the graph what is kept for a blocked group. The room that this
// frees is noted: in queues that plan anew, on the blocked groups that may use
// it; in queues that keep reservations, in a log that each blocked group reads
// at its turn.
//
// Owned by one thread.
// Tests: tests/workers/schedule/schedule_promises_test.cc,
// tests/workers/schedule/schedule_blocked_test.cc.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "matcher/nodes/room_log.h"
#include "workers/decision/queue_settings.h"
#include "workers/graph/schedule_graph.h"
#include "workers/pending/blocked_group.h"
#include "workers/pending/pending_line.h"

namespace fluxnetes::workers {

// In pending order.
using BlockedGroups = std::map<const WaitingGroup*, BlockedGroup, EarlierFirst>;

struct ScheduleQueue {
  QueueSettings settings;
  bool known = false;  // else groups name it, but there is no such queue
  BlockedGroups blocked;
  bool growth = false;  // elastic groups may have to make room for its groups
  // Of a queue that only ever looks at its first group: the one that it looked
  // at last. Whether lines are to be asked is not kept for the others.
  GroupId stopped_at = 0;

  bool Runs() const { return known && !settings.paused; }
  bool GoesByFairShares() const {
    return settings.queue_order == QueueOrder::kFairShare;
  }
  // How many blocked groups nodes may be kept for.
  std::size_t Depth() const;
  // Whether reservations are kept from cycle to cycle and only improve
  // (conservative, hybrid). Else the single one is planned anew whenever
  // something may fit (easy).
  bool Keeps() const {
    return settings.queue_policy == QueuePolicy::kConservative ||
           settings.queue_policy == QueuePolicy::kHybrid;
  }
};

// Whether a task of the gang may use one of the nodes, or the gang one of the
// pools among them, however full they are.
bool MayUseAny(const ScheduleGraph& graph, const matcher::Gang& gang,
               const std::vector<matcher::NodeIndex>& nodes);

inline bool IsBlocked(const WaitingGroup& group) {
  return group.line->queue->blocked.contains(&group);
}

// Null: it is not blocked.
const BlockedGroup* FindBlocked(const WaitingGroup& group);

class ScheduleQueues {
 public:
  using Map = std::map<std::string, ScheduleQueue>;

  explicit ScheduleQueues(ScheduleGraph& graph) : graph_(graph) {}

  // The queue of this name; it becomes known when it gets its settings.
  ScheduleQueue& operator[](const std::string& name);
  // Null: no group names it, and it has no settings.
  const ScheduleQueue* Find(const std::string& name) const;
  Map::iterator begin() { return queues_.begin(); }
  Map::iterator end() { return queues_.end(); }
  Map::const_iterator begin() const { return queues_.begin(); }
  Map::const_iterator end() const { return queues_.end(); }

  // There has been an elastic group that grew, so that from now on groups may
  // have room made for them. False: that was known.
  bool NoteGrowth();

  // The earliest start that is booked.
  std::optional<matcher::Time> NextDue() const;

  // Withdraws what is kept for the group, until its turn.
  void Withdraw(const WaitingGroup& group, BlockedGroup& blocked);
  // The same for this group and all behind it, of all queues.
  void WithdrawFrom(const WaitingGroup& first);
  // The same for all behind it. False: nothing stood for any of them.
  bool WithdrawBehind(const WaitingGroup& group);

  // Gives up what is kept for the group, which is blocked no more. The caller
  // asks the lines that may start now. Returns the next one.
  BlockedGroups::iterator Forget(ScheduleQueue& queue,
                                 BlockedGroups::iterator group);
  void ForgetAll(ScheduleQueue& queue);

  // Notes that these nodes are free from their start on, if not used by others;
  // if they were kept for a group, that this is so no more. Only groups behind
  // it can gain by that: it held against nobody else.
  void NoteFreed(const ReservedNodes& reserved, const matcher::Gang& gang);
  void NoteFreed(const ReservedNodes& reserved, const WaitingGroup& group) {
    NoteFreed(reserved, group.line->gang, &group);
  }
  // Notes that they are kept for it, or held by it, after room was freed.
  void NoteTaken(const ReservedNodes& reserved, const matcher::Gang& gang);
  // Notes room that became free because groups ended or nodes changed.
  void NoteRoom(matcher::RoomChange change) { room_.Add(std::move(change)); }
  // Room freed, and taken again, that some blocked group of a queue that keeps
  // its reservations has not looked at yet.
  const matcher::RoomLog& room() const { return room_; }
  // Whether a blocked group of such a queue is to be looked at again. Forgets
  // the room that all of them have seen.
  bool AnyToLookAt();

 private:
  void NoteFreed(const ReservedNodes& reserved, const matcher::Gang& gang,
                 const WaitingGroup* group);

  ScheduleGraph& graph_;
  Map queues_;
  matcher::RoomLog room_;
  bool growth_ = false;
};

}  // namespace fluxnetes::workers
