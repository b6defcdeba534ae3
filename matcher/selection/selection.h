// Selects the vertices that a job gets at one time, by Fluxion's rules, in a
// walk down the graph. Each vertex visits its children, scores them, and takes
// the best where the jobspec names a number; it passes the other candidates up
// to its parent. Nothing is booked.
//
// A jobspec may leave out levels at its top, but not in the middle. A vertex is
// taken whole: quantities round up to the sizes of vertices.
//
// Owned by one thread. Recurses as deep as the graph, at most kMaxGraphDepth.
// Tests: tests/matcher/fluxion/matcher_test.cc,
// tests/matcher/fluxion/matcher_plain_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/planner/bookings.h"
#include "matcher/planner/pruning_filters.h"
#include "matcher/policy.h"
#include "matcher/selection/job_request.h"
#include "matcher/selection/scoreboard.h"
#include "matcher/selection/shortlist.h"
#include "matcher/selection/visit_memo.h"

namespace fluxnetes::matcher {

class Selection {
 public:
  struct Times {
    Time at = 0;
    Time duration = 1;
    bool now = false;    // jobs that hold a vertex now keep it, even overdue
    bool status = true;  // down vertices are left out
    // No span starts after `at`: what is free then stays free.
    bool steady = false;
    // What is in use below a vertex shows at the vertex.
    bool tidy = false;
  };
  struct Mark {
    std::uint64_t turn = 0;
    std::int64_t units = 0;
    bool exclusive = false;
  };

  Selection(const ResourceGraph& graph, const Bookings& bookings,
            const PruningFilters& filters, Policy policy, bool sort_equals)
      : graph_(graph),
        bookings_(bookings),
        filters_(filters),
        policy_(policy),
        most_sorted_(sort_equals ? kUnlimited : kMostSorted) {}

  // True if everything that is requested was found.
  bool Run(const JobRequest& request, const Times& times);
  // Does the same by a walk over the whole graph.
  bool RunPlain(const JobRequest& request, const Times& times);

  // Must be called when vertices, edges or properties of the graph have
  // changed; ForgetStatus() if only the status (up or down) of vertices has.
  void ForgetGraph() {
    shortlists_.clear();
    childless_.clear();
    memos_.clear();
    tree_.reset();
  }
  void ForgetStatus();

  // The result of the last run that returned true: the edges to what was taken.
  // A turn is the number of a run.
  std::uint64_t turn() const { return turn_; }
  bool Selected(EdgeIndex e) const { return marks_[e].turn == turn_; }
  // If few edges were marked they are listed, by source and in order of index;
  // then SelectedFrom() returns those from a vertex.
  bool listed() const { return listed_; }
  struct Listed {
    VertexIndex source = kNoVertex;
    EdgeIndex edge = kNoEdge;
    bool operator<(const Listed& other) const { return key() < other.key(); }
    std::uint64_t key() const {
      return static_cast<std::uint64_t>(source) << 32 |
             static_cast<std::uint32_t>(edge);
    }
  };
  std::span<const Listed> SelectedFrom(VertexIndex v) const;
  std::size_t selected() const { return marked_.size(); }  // listed edges
  const Mark& mark(EdgeIndex e) const { return marks_[e]; }
  const Mark& root_mark() const { return root_mark_; }
  // Returns the label of the resource that the vertex was taken for, or "".
  const std::string& LabelOf(VertexIndex v, const JobRequest& request) const;

  // Totals since construction: vertices visited, and those among them that had
  // something to give.
  std::int64_t visits() const { return visits_; }
  std::int64_t finds() const { return finds_; }

  // For a selection made by hand, edge by edge, instead of a run.
  void Begin();
  void MarkEdge(EdgeIndex e, std::int64_t units, bool exclusive);

 private:
  // How a vertex relates to a level of the jobspec.
  struct Role {
    bool ambiguous = false;
    int resource = -1;  // the resource of the vertex's type
    int slot = -1;      // the last slot
    Level slots;        // the level of the slots, where slots are alternatives
    bool packs_slot = false;  // parts of a slot are its children
  };
  // The resource that a vertex was taken for in a turn.
  struct Stand {
    std::uint64_t turn = 0;
    int resource = -1;
  };
  // How much of a type was gathered, and how many shares of `per_share` that
  // makes.
  struct Share {
    TypeId type = 0;
    std::uint64_t per_share = 0;
    std::uint64_t gathered = 0;
    std::uint64_t shares = 0;
    std::int64_t before = 0;
  };
  // A part of a slot, and the candidates left for it.
  struct Part {
    Scoreboard::List* list = nullptr;
    std::uint64_t each = 0;
  };

  bool Visit(EdgeIndex way, VertexIndex v, Level level, bool pristine,
             bool exclusive, int depth, Candidate& candidate);
  Role RoleOf(VertexIndex v, Level level) const;
  bool HasParts(VertexIndex v, int slot) const;
  bool HasChild(VertexIndex v, TypeId type) const;
  bool AsksExclusive(VertexIndex v, Level level) const;
  // True if the vertex is booked with everything below it, whatever is marked
  // there.
  bool TakenWhole(VertexIndex v) const {
    return (policy_.node_exclusive && graph_.type(v) == types::kNode) ||
           request_->exclusive.contains(graph_.type(v));
  }

  bool Pruned(VertexIndex v, Level level, bool exclusive);
  bool PrunedByUse(VertexIndex v, bool exclusive) const;
  bool Allocated(VertexIndex v) const;
  bool Covered(VertexIndex v) const;
  bool PrunedByNeeds(VertexIndex v, int resource);

  std::optional<bool> SufficesWhole(VertexIndex v, Level level);
  int AskedOf(VertexIndex leaf, Level level) const;

  void Explore(VertexIndex v, Level level, std::uint64_t multiplier,
               bool pristine, bool exclusive, int depth, Scoreboard& board);
  void ExploreUntilEnough(VertexIndex v, Level level, std::uint64_t multiplier,
                          bool pristine, bool exclusive, int depth,
                          Scoreboard& board);
  // Takes a leaf without a visit; nothing if it needs a visit.
  std::optional<bool> TakeLeaf(EdgeIndex e, Level level, bool exclusive,
                               Scoreboard& board);
  bool TakeChild(EdgeIndex e, Level level, bool pristine, bool exclusive,
                 int depth, Scoreboard& board);
  bool VisitChild(EdgeIndex e, Level level, bool pristine, bool exclusive,
                  int depth, Scoreboard& board);

  void PackSlots(VertexIndex v, const Role& role, int depth);
  std::size_t SlotsThatFit(int slot, Scoreboard& parts) const;
  std::vector<int> AlternativesThatFit(const Role& role,
                                       Scoreboard& parts) const;
  bool PackSlot(int slot, Scoreboard& parts, Scoreboard& board);

  // Walks that recall what earlier walks have found.
  bool IsTree();
  VisitMemo* MemoForRun();
  bool RecallChild(EdgeIndex e, Level level, bool pristine, bool exclusive,
                   int depth, Scoreboard& board);
  void VisitRecalled();
  const Choice& ChoiceOf(const Candidate& candidate, int i) const {
    return VisitMemo::IsKept(candidate) ? memo_->ChoiceOf(candidate, i)
                                        : choices_[candidate.first + i];
  }

  bool Factor(VertexIndex v, std::int64_t& factor) const;
  std::int64_t ScoreOf(VertexIndex v) const;
  bool Walk();
  bool ChooseBest(Scoreboard& board, int resource, bool top);
  void Sort(Scoreboard::List& list, bool descending, std::size_t first) const;
  void SortByRuns(Scoreboard::List& list, std::size_t first) const;
  void MarkChosen(const Scoreboard& board, bool climb);
  void MarkWayUp(EdgeIndex e);
  bool Finish(Candidate root);

  // Runs without a walk over the graph; nothing if only a walk can tell.
  std::optional<bool> RunQuick();
  Shortlist& ShortlistFor(const JobRequest& request);
  std::unique_ptr<Shortlist> MakeShortlist();
  Shortlist::Kind KindOf() const;
  bool GatherShortlist(Shortlist& list);
  bool AddParts(Shortlist& list, VertexIndex holder, std::int64_t factors,
                int depth) const;
  bool AddHolder(Shortlist& list, EdgeIndex way, std::int64_t factors,
                 int depth) const;
  void CatchUp(Shortlist& list);
  int ItemOver(const Shortlist& list, VertexIndex v) const;
  void ResetBelow(Shortlist& list, VertexIndex top, bool released);

  bool Passable(VertexIndex v);
  std::optional<Planner::Stretch> WholeUse(VertexIndex v) const;
  std::optional<Planner::Stretch> ShortageAt(VertexIndex v, Level level,
                                             bool exclusive) const;
  std::optional<Planner::Stretch> ShortageBelow(const MultiPlanner* filter,
                                                int resource) const;

  std::optional<bool> RunList(Shortlist& list);
  bool TryItem(Shortlist& list, int item, Candidate& candidate);

  std::optional<bool> RunContest(Shortlist& list);
  void Evaluate(Shortlist& list, int holder);
  void Settle(Shortlist& list);
  bool KnowsTooManyToSort(const Shortlist& list) const;
  bool MoreThanSorted(Shortlist& list);
  void MarkPicked();

  const ResourceGraph& graph_;
  const Bookings& bookings_;
  const PruningFilters& filters_;
  Policy policy_;
  // Lists up to this length are sorted with std::sort.
  const std::uint64_t most_sorted_;

  const JobRequest* request_ = nullptr;
  Times times_;
  std::uint64_t turn_ = 0;
  std::int64_t visits_ = 0;
  std::int64_t finds_ = 0;
  std::int64_t factors_ = 0;  // sum of the factors of the vertices above
  std::vector<Mark> marks_;   // [edge]
  bool listed_ = false;
  std::vector<Listed> marked_;
  Mark root_mark_;                      // the entry to the root
  std::vector<Stand> stands_;           // [vertex]
  std::vector<std::uint64_t> visited_;  // [vertex]: turn of the last visit
  // The last answer of Covered(), for the children of one vertex.
  struct CoveredAnswer {
    std::uint64_t turn = 0;
    VertexIndex vertex = kNoVertex;
    bool now = false;
  };
  mutable CoveredAnswer covered_;
  std::vector<Choice> choices_;
  std::vector<std::int64_t> needs_;
  std::vector<std::uint64_t> leaf_units_;  // used by SufficesWhole()
  // What was found below the vertex at each depth, and in its slots.
  std::array<Scoreboard, kMaxGraphDepth + 2> boards_;
  std::array<Scoreboard, kMaxGraphDepth + 2> slots_;
  std::array<std::vector<Share>, kMaxGraphDepth + 2> shares_;
  // Used while slots are packed.
  std::vector<int> row_;                // slots to pack
  std::vector<std::size_t> next_part_;  // [list of parts]: next candidate
  Scoreboard top_;

  std::vector<std::unique_ptr<VisitMemo>> memos_;  // last used first
  VisitMemo* memo_ = nullptr;                      // of this run
  std::optional<bool> tree_;  // no vertex has two edges into it

  // Used by RunQuick().
  struct Passage {
    std::uint64_t turn = 0;
    bool open = false;
    VertexIndex closed_by = kNoVertex;
  };
  std::vector<Passage> passages_;  // [vertex]
  std::vector<VertexIndex> climb_;
  // True for a vertex and a type if no child has the type; for vertices with
  // many children.
  mutable std::unordered_map<std::uint64_t, bool> childless_;
  std::vector<std::unique_ptr<Shortlist>> shortlists_;  // last used first
  std::vector<Candidate> picked_;
  // A holder at this depth makes no more slots than the job can take, and one
  // to compare with; packed_of_ is how many it could make.
  int pack_depth_ = -1;
  std::size_t packed_of_ = 0;
  // slots of the holders that were looked at
  std::vector<Candidate> slots_seen_;
};

}  // namespace fluxnetes::matcher
