// What a Schedule knows: see schedule.h. Events change it, a cycle
// (schedule_cycle.h) decides from it.
//
// Owned by one thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "workers/pending_line.h"
#include "workers/schedule.h"
#include "workers/schedule_graph.h"
#include "workers/schedule_head.h"
#include "workers/schedule_reason.h"

namespace fluxnetes::workers {

struct ScheduleQueue {
  QueueSettings settings;
  bool known = false;  // else groups wait in it, but there is no such queue

  // The group that is promised something, in an easy queue, and what.
  const WaitingGroup* head = nullptr;
  std::optional<Promise> promise;  // nothing: none can be given
  bool stands = false;             // the promise is kept by others now
  bool stale = false;              // the promise could be better, or is broken

  bool Runs() const { return known && !settings.paused; }
  bool Due(matcher::Time now) const {
    return stands && promise && promise->start && *promise->start <= now;
  }
};

struct Schedule::State {
  ScheduleGraph graph;
  PendingLines lines;
  std::map<std::string, ScheduleQueue> queues;
  WaitReasons reasons;
  std::map<GroupId, Reservation> said;  // reservations, by earlier decisions
  std::deque<GroupId> to_tell;          // whether they are unsatisfiable
  bool changed = true;                  // something happened since the decision
  bool more = false;                    // the last cycle was cut short
  std::uint64_t cycle = 0;

  void SetQueue(const QueueSettings& settings);
  void RemoveQueue(const std::string& name);
  void Add(PendingGroup group);
  bool Remove(GroupId group);
  // What it holds has changed: where it may go, if it has a topology.
  void NoteHeld(GroupId group);

  bool Due(matcher::Time now) const;

  // Takes note of what happened in the graph: which lines to ask again, which
  // promises to look at.
  void TakeChanges(matcher::Time now);

  // Where other tasks are that the rules of the line look at: differs when they
  // have moved so that it may fit.
  std::uint64_t Surroundings(const PendingLine& line) const;
  // Takes note of it; if `ask`, lines for which it has moved are to be asked
  // again. True if there are any.
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
  // Gives back what is promised; Forget() also takes the headship.
  void Withdraw(ScheduleQueue& queue);
  void Forget(ScheduleQueue& queue);
  // The group waits no longer.
  void Drop(GroupId group);
};

}  // namespace fluxnetes::workers
