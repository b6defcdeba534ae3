// Finds the earliest time at which a gang fits beside all spans that are known.
// Room only comes where a span ends, so the ends are gone through in order of
// time, and at each only the nodes are looked at again where something changes
// over the gang's window [t, t + duration). A node that has no room for a task
// is left alone until it will have: on a full cluster most ends change nothing.
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "matcher/gangs/gang_plan.h"
#include "matcher/gangs/leaving_gang.h"
#include "matcher/gangs/node_table.h"
#include "matcher/gangs/shortfall.h"

namespace fluxnetes::matcher {

class EarliestStart {
 public:
  EarliestStart(NodeTable& nodes, GangPlan& plan)
      : nodes_(nodes), plan_(plan) {}

  // Leaves the placement at that time in the plan. Nothing: at no time before
  // `before`.
  std::optional<Time> Find(Time duration, Time before, bool by_id,
                           bool descending);

  // The same at a time before that of a gang which is booked, from now on, as
  // if it were not there. Its tasks do not look at others.
  std::optional<Time> FindEarlier(const LeavingGang& leaving, Time start,
                                  Time duration, bool by_id, bool descending);

  // Of the times that the last search looked at in vain.
  const Shortfall& shortfall() const { return shortfall_; }

 private:
  using Reader = SpanTimeline::Reader;

  // False: it cannot start before `before`.
  bool FindBounds(Time duration, Time before);
  void Begin(Time duration, Time before);
  void End();
  void LookAtAll();
  // Only at those that have room for a task now.
  void LookAtThoseWithRoom();
  void Look(NodeIndex node);  // again, over the window at time_
  // Whether the node has room for any task.
  bool CountAgain(NodeIndex node);
  // When it will have; kForever: not before before_.
  Time NextRoom(NodeIndex node);
  // The next moment at which something ends, or, if rules look at other tasks,
  // changes at all; kForever: there is none.
  Time NextTime() const;
  // Looks at all nodes that change at time_. Whether there is room for each
  // group alone, and more than there was: where a span ends, or starts that
  // others want to be near.
  bool Step();
  // Copies what the rules of the gang look at, and counts there.
  void BeginCounts();
  void EndCounts();
  enum class What { kPresent, kBlocking };
  void Count(const SpanTimeline::Moment& moment, What what, int sign);
  // How many tasks find no place at time_, if each group had it for itself.
  int Lacking() const;
  bool Any(Reader moments, bool only_ahead) const;
  Time WindowEnd() const;
  Time EntersAt(Time start) const;  // the window reaches this start

  bool IsLeft(NodeIndex node) const {
    return leaving_ != nullptr && leaving_->IsOn(node);
  }
  // What would leave the node.
  Leaving LeavingAt(NodeIndex node) const {
    return leaving_ == nullptr ? Leaving() : leaving_->At(node);
  }

  NodeTable& nodes_;
  GangPlan& plan_;
  const LeavingGang* leaving_ = nullptr;
  Time duration_ = 1;
  Time before_ = kForever;
  Time time_ = 0;
  Reader ends_;
  Reader starts_;        // if rules look at other tasks
  Reader enters_;        // starts, as they enter the window
  bool all_ = false;     // the columns are to be right of all nodes
  bool counts_ = false;  // rules look at other tasks
  // Of nodes that were looked at; the others have none. They are cleared at the
  // end.
  std::vector<NodeIndex> looked_at_;
  Columns columns_;
  std::vector<std::vector<std::int32_t>> fits_;  // [group][node]
  std::vector<Time> bounds_;                     // [node], no task fits before
  std::vector<Time> idle_until_;                 // [node], while none fits
  std::vector<char> seen_;                       // [node]
  std::vector<std::int64_t> sums_;               // [group]
  Shortfall shortfall_;
  std::vector<std::int64_t> least_;
};

}  // namespace fluxnetes::matcher
