// Walks the graph and selects the vertices that a job gets at one time, by
// Fluxion's rules: down the tree, each vertex asks its children, scores them,
// and takes the best where the jobspec names a number; what it does not decide
// itself it hands up. Nothing is booked.
//
// A jobspec may leave out levels at its top, never in the middle. A vertex
// goes whole: quantities round up to the sizes of vertices.
//
// Owned by one thread. Recurses as deep as the graph, at most kMaxGraphDepth.
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
#include "matcher/selection/job_request.h"
#include "matcher/selection/match_policy.h"
#include "matcher/selection/scoreboard.h"
#include "matcher/selection/shortlist.h"

namespace fluxnetes::matcher {

class Selection {
 public:
  struct Times {
    Time at = 0;
    Time duration = 1;
    bool now = false;    // those who have it now keep it, even overdue
    bool status = true;  // down vertices are left out
    // No span starts after `at`: what is free then stays free.
    bool steady = false;
  };
  struct Mark {
    std::uint64_t turn = 0;
    std::int64_t units = 0;
    bool exclusive = false;
  };

  Selection(const ResourceGraph& graph, const Bookings& bookings,
            const PruningFilters& filters, MatchPolicy policy)
      : graph_(graph),
        bookings_(bookings),
        filters_(filters),
        policy_(policy) {}

  // Whether all that is asked for was found.
  bool Run(const JobRequest& request, const Times& times);
  // The same, found by a walk over the whole graph.
  bool RunPlain(const JobRequest& request, const Times& times);

  // To be called when the graph has changed: its vertices, edges or
  // properties; or only which of its vertices are up.
  void ForgetGraph() {
    shortlists_.clear();
    childless_.clear();
  }
  void ForgetStatus();

  // The outcome of the last run that was true: the edges to what was taken.
  std::uint64_t turn() const { return turn_; }
  bool Selected(EdgeIndex e) const { return marks_[e].turn == turn_; }
  // Those from the vertex, where few were marked: then they are listed, by
  // source and in order of index.
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
  std::size_t selected() const { return marked_.size(); }  // of the listed
  const Mark& mark(EdgeIndex e) const { return marks_[e]; }
  const Mark& root_mark() const { return root_mark_; }
  // The label of the resource that a vertex stood for, or "".
  const std::string& LabelOf(VertexIndex v, const JobRequest& request) const;

  // Since it was made: vertices that were looked at, and those of them that
  // had something to give.
  std::int64_t visits() const { return visits_; }
  std::int64_t finds() const { return finds_; }

  // Instead of a run: a selection made by hand, edge by edge.
  void Begin();
  void MarkEdge(EdgeIndex e, std::int64_t units, bool exclusive);

 private:
  // How a vertex stands to a level.
  struct Role {
    bool ambiguous = false;
    int resource = -1;        // the one of its type
    int slot = -1;            // the last of the slots
    Level slots;              // where slots stand, alternatives side by side
    bool packs_slot = false;  // a slot's parts are its children
  };
  // The resource that a vertex stood for in a turn.
  struct Stand {
    std::uint64_t turn = 0;
    int resource = -1;
  };
  // How much of a type was gathered for the shares that are wanted of it.
  struct Share {
    TypeId type = 0;
    std::uint64_t per_share = 0;
    std::uint64_t gathered = 0;
    std::uint64_t shares = 0;
    std::int64_t before = 0;
  };
  // A part of a slot, and the candidates that are left for it.
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

  bool Pruned(VertexIndex v, Level level, bool exclusive);
  bool PrunedByUse(VertexIndex v, bool exclusive) const;
  bool Allocated(VertexIndex v) const;
  bool PrunedByNeeds(VertexIndex v, int resource);

  void Explore(VertexIndex v, Level level, std::uint64_t multiplier,
               bool pristine, bool exclusive, int depth, Scoreboard& board);
  void ExploreUntilEnough(VertexIndex v, Level level, std::uint64_t multiplier,
                          bool pristine, bool exclusive, int depth,
                          Scoreboard& board);
  // Without a visit; nothing if it takes one.
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

  bool Factor(VertexIndex v, std::int64_t& factor) const;
  std::int64_t ScoreOf(VertexIndex v) const;
  bool ChooseBest(Scoreboard& board, int resource, bool top);
  void Sort(Scoreboard::List& list, bool descending) const;
  void SortByRuns(Scoreboard::List& list) const;
  void MarkChosen(const Scoreboard& board, bool climb);
  void MarkWayUp(EdgeIndex e);
  bool Finish(Candidate root);

  // Without a walk over the graph; nothing if that cannot tell.
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
  bool MoreThanSorted(Shortlist& list);
  void MarkPicked();

  const ResourceGraph& graph_;
  const Bookings& bookings_;
  const PruningFilters& filters_;
  MatchPolicy policy_;

  const JobRequest* request_ = nullptr;
  Times times_;
  std::uint64_t turn_ = 0;
  std::int64_t visits_ = 0;
  std::int64_t finds_ = 0;
  std::int64_t factors_ = 0;  // of the vertices above
  std::vector<Mark> marks_;   // [edge]
  bool listed_ = false;
  std::vector<Listed> marked_;
  Mark root_mark_;                      // of the way in to the root
  std::vector<Stand> stands_;           // [vertex]
  std::vector<std::uint64_t> visited_;  // [vertex]: the turn
  std::vector<Choice> choices_;
  std::vector<std::int64_t> needs_;
  // What was found below the vertex at each depth, and in its slots.
  std::array<Scoreboard, kMaxGraphDepth + 2> boards_;
  std::array<Scoreboard, kMaxGraphDepth + 2> slots_;
  std::array<std::vector<Share>, kMaxGraphDepth + 2> shares_;
  // While slots are packed.
  std::vector<int> row_;                // the slots
  std::vector<std::size_t> next_part_;  // [list of parts]
  Scoreboard top_;

  // Of the quick way.
  struct Passage {
    std::uint64_t turn = 0;
    bool open = false;
    VertexIndex closed_by = kNoVertex;
  };
  std::vector<Passage> passages_;  // [vertex]
  std::vector<VertexIndex> climb_;
  // Vertices with many children, none of which is of the type.
  mutable std::unordered_map<std::uint64_t, bool> childless_;
  std::vector<std::unique_ptr<Shortlist>> shortlists_;  // last used first
  std::vector<Candidate> picked_;
  // Of a holder at this depth no more slots are made than can be taken, and one
  // to compare with; packed_of_ is how many there would be.
  int pack_depth_ = -1;
  std::size_t packed_of_ = 0;
  std::vector<Candidate> slots_seen_;  // of the holders that were looked at
};

}  // namespace fluxnetes::matcher
