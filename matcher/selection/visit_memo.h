// What the visits of a walk have found, kept for the next walk for the same
// request at the same time. A visit depends on its vertex and what is below it
// alone, so it is repeated only where something was booked or released. Leaves
// are not kept: a visit of one costs less than remembering it.
//
//   walk 1   root - node0 (visited, kept)   node1 (visited, kept)   ...
//   booking        node0 (dropped)
//   walk 2   root - node0 (visited, kept)   node1 (recalled)        ...
//
// A recalled vertex has nothing marked below it. If it is chosen, it is visited
// after all.
//
// Only for graphs that are trees. Part of a Selection; owned by its thread.
// Tests: tests/matcher/selection/visit_memo_test.cc,
// tests/matcher/fluxion/matcher_plain_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "matcher/graph/constraint.h"
#include "matcher/graph/resource_graph.h"
#include "matcher/planner/bookings.h"
#include "matcher/selection/job_request.h"
#include "matcher/selection/scoreboard.h"

namespace fluxnetes::matcher {

class VisitMemo {
 public:
  // How a walk comes to a vertex.
  struct Approach {
    EdgeIndex way = kNoEdge;
    int level_first = 0;
    int level_last = 0;
    bool pristine = false;
    bool exclusive = false;
    int depth = 0;
    std::int64_t factors = 0;

    bool operator==(const Approach&) const = default;
  };
  struct Entry {
    bool kept = false;
    std::uint64_t recalled = 0;  // the last turn in which it was recalled
    Approach approach;
    bool found = false;
    Candidate candidate;  // the vertex itself
    Scoreboard below;     // what it passes up
    // Where its choices are, and for how many there is room.
    std::size_t first_choice = 0;
    std::size_t room = 0;
  };
  // The times and conditions of a walk that its visits depend on.
  struct Moment {
    Time at = -1;
    Time duration = 0;  // 0: any, since nothing starts after `at`
    bool status = true;

    bool operator==(const Moment&) const = default;
  };

  VisitMemo(const JobRequest& request, const Moment& moment)
      : resources_(request.spec->resources),
        top_(request.spec->top),
        flexible_(request.flexible),
        needs_(request.below),
        constraint_(request.spec->constraint),
        moment_(moment) {}

  bool Serves(const JobRequest& request, const Moment& moment) const;

  // Drops what the touches since the last call may have changed.
  void CatchUp(const ResourceGraph& graph, const TouchLog& log);

  // Returns what was kept of the vertex, until the next one is kept; null:
  // nothing.
  Entry* Find(VertexIndex v) {
    if (places_[v] == kNone || !entries_[places_[v]].kept) return nullptr;
    return &entries_[places_[v]];
  }
  // Keeps what a visit has found: the candidate, if `found`, and what it passes
  // up. The choices of both are in `choices`, or kept.
  void Keep(VertexIndex v, const Approach& approach, bool found,
            const Candidate& candidate, const Scoreboard* below,
            const std::vector<Choice>& choices);

  // Candidates of the memo have `first` below 0.
  static bool IsKept(const Candidate& candidate) { return candidate.first < 0; }
  const Choice& ChoiceOf(const Candidate& candidate, int i) const {
    return choices_[-1 - candidate.first + i];
  }

 private:
  static constexpr std::int32_t kNone = -1;

  void Drop(VertexIndex v);
  void DropBelow(const ResourceGraph& graph, VertexIndex top);
  void MakeRoom(Entry& entry);

  std::vector<JobResource> resources_;
  int top_;
  bool flexible_;
  std::vector<TypeNeeds> needs_;  // [resource]
  Constraint constraint_;
  Moment moment_;
  std::uint64_t position_ = 0;        // in the log
  std::vector<std::int32_t> places_;  // [vertex]: in entries_
  std::vector<Entry> entries_;
  std::vector<Choice> choices_;
  std::vector<VertexIndex> open_;
};

}  // namespace fluxnetes::matcher
