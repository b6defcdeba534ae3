// Finds the earliest time at which a gang fits beside all spans that are known.
// Room only comes where a span ends, so the ends are gone through in order of
// time, and at each only the nodes are looked at again where something changes
// over the gang's window [t, t + duration).
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "matcher/gang_plan.h"
#include "matcher/node_table.h"

namespace fluxnetes::matcher {

class EarliestStart {
 public:
  EarliestStart(NodeTable& nodes, GangPlan& plan)
      : nodes_(nodes), plan_(plan) {}

  // Leaves the placement at that time in the plan. Nothing: at no time before
  // `before`.
  std::optional<Time> Find(Time duration, Time before, bool by_id,
                           bool descending);

 private:
  using Moments = std::vector<SpanTimeline::Moment>;

  void Begin(Time duration);
  void Look(NodeIndex node);  // again, over the window at time_
  void CountAgain(NodeIndex node);
  // The next moment at which something changes, or kForever.
  Time NextTime() const;
  // Looks at all nodes that change at time_. Whether there may be room now that
  // was not before: where a span ends, or starts that others want to be near.
  bool Step();
  // Copies what the rules of the gang look at, and counts there.
  void BeginCounts();
  void EndCounts();
  enum class What { kPresent, kBlocking };
  void Count(SpanId id, What what, int sign);
  bool EnoughAlone() const;
  Time WindowEnd() const;
  Time EntersAt(Time start) const;  // the window reaches this start

  NodeTable& nodes_;
  GangPlan& plan_;
  Time duration_ = 1;
  Time time_ = 0;
  const Moments* ends_ = nullptr;
  const Moments* starts_ = nullptr;
  std::size_t end_ = 0;    // the next of ends_
  std::size_t start_ = 0;  // of starts_
  std::size_t enter_ = 0;  // of starts_, as they enter the window
  Columns columns_;
  std::vector<std::vector<std::int32_t>> fits_;  // [group][node]
  std::vector<std::int64_t> sums_;               // [group]
  std::vector<std::int64_t> least_;
};

}  // namespace fluxnetes::matcher
