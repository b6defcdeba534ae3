// Finds the earliest time at which a gang fits beside all known spans. Room
// appears only where a span ends, so the search visits the ends in order of
// time. At each end it looks again only at the nodes that change over the
// gang's window [t, t + duration). It skips a node without room for a task
// until the node has room: on a full cluster most ends change nothing.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/gangs/gang_time_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "matcher/gangs/gang_plan.h"
#include "matcher/gangs/leaving_gang.h"
#include "matcher/gangs/node_columns.h"
#include "matcher/nodes/shortfall.h"

namespace fluxnetes::matcher {

class EarliestStart {
 public:
  EarliestStart(NodeColumns& nodes, GangPlan& plan)
      : nodes_(nodes), plan_(plan) {}

  // Returns the earliest start after now and before `before`, and leaves the
  // placement at that time in the plan; nothing if there is none.
  std::optional<Time> Find(Time duration, Time before,
                           const PolicyOrder& order);

  // Does the same for a gang that is booked already: returns the earliest start
  // from now on and before `start`, as if its booking (`leaving`) did not
  // exist. The rules of its tasks must not look at other tasks.
  std::optional<Time> FindEarlier(const LeavingGang& leaving, Time start,
                                  Time duration, const PolicyOrder& order);

  // The shortfall of the times that the last search tried in vain.
  const Shortfall& shortfall() const { return shortfall_; }

 private:
  using Reader = SpanTimeline::Reader;

  // Computes bounds_. False if the gang cannot start before `before`.
  bool FindBounds(Time duration, Time before);
  void Begin(Time duration, Time before);
  void End();
  void LookAtAll();
  // Looks only at nodes that have room for a task now.
  void LookAtThoseWithRoom();
  void Look(NodeIndex node);  // recomputes it over the window at time_
  // Recounts the tasks that fit on the node. True if any fits.
  bool CountAgain(NodeIndex node);
  // Returns when a task next fits on the node; kForever: not before before_.
  Time NextRoom(NodeIndex node);
  // Returns the next moment at which a span ends or, if rules look at other
  // tasks, starts or enters the window; kForever: there is none.
  Time NextTime() const;
  // Looks at all nodes that change at time_. True if each group alone has room
  // and a change may help: a span ended, or one started that others want to be
  // near.
  bool Step();
  // Copies the counts that the gang's rules look at; Count() changes the
  // copies.
  void BeginCounts();
  void EndCounts();
  enum class What { kPresent, kBlocking };
  void Count(const SpanTimeline::Moment& moment, What what, int sign);
  // Returns how many tasks find no place at time_ if each group had the nodes
  // for itself.
  int Lacking() const;
  bool Any(Reader moments, bool only_ahead) const;
  Time WindowEnd() const;
  Time EntersAt(Time start) const;  // when the window reaches it

  // Where tasks of the gang's holder are, seats may be free for it alone.
  bool MayBeOwn(NodeIndex node) const {
    return plan_.own() != nullptr && plan_.own()->contains(node);
  }
  template <typename Do>
  void ForEachOwn(const Do& look) const {
    if (plan_.own() == nullptr) return;
    for (const auto& each : *plan_.own()) look(each.first);
  }
  bool IsLeft(NodeIndex node) const {
    return leaving_ != nullptr && leaving_->IsOn(node);
  }
  // Returns the amounts that the booked gang would leave on the node.
  Leaving LeavingAt(NodeIndex node) const {
    return leaving_ == nullptr ? Leaving() : leaving_->At(node);
  }

  NodeColumns& nodes_;
  GangPlan& plan_;
  const LeavingGang* leaving_ = nullptr;
  Time duration_ = 1;
  Time before_ = kForever;
  Time time_ = 0;
  Reader ends_;
  Reader starts_;        // used if rules look at other tasks
  Reader enters_;        // starts, as they enter the window
  bool all_ = false;     // columns_ must be right for all nodes
  bool counts_ = false;  // rules look at other tasks
  // Nodes that the search has looked at. Only they have values in the arrays
  // below; End() clears them.
  std::vector<NodeIndex> looked_at_;
  Columns columns_;
  std::vector<std::vector<std::int32_t>> fits_;  // [group][node]
  std::vector<Time> bounds_;                     // [node]: no task fits before
  std::vector<Time> idle_until_;    // [node]: nothing fits until then
  std::vector<char> seen_;          // [node]
  std::vector<std::int64_t> sums_;  // [group]
  Shortfall shortfall_;
  std::vector<std::int64_t> least_;
};

}  // namespace fluxnetes::matcher
