// Fluxion's matcher once more, as plain as possible: whole walks, no index, and
// nothing but the bookings kept between matches. It follows the rules of
// docs/matcher.md and of Fluxion, and is compared with the fast one.
//
// It reads the graph of the matcher that it is compared with, and must be
// called when that graph changes. It keeps everything else itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "tests/matcher/plain/plain_plan.h"

namespace fluxnetes::matcher {

struct PlainPolicy {
  explicit PlainPolicy(const std::string& text);

  bool locality = false;
  bool variation = false;
  bool descending = false;
  bool node_centric = false;
  bool node_exclusive = false;
  bool first = false;
};

class PlainMatcher {
 public:
  PlainMatcher(const ResourceGraph& graph, const std::string& policy,
               const MatcherOptions& options);

  Match Run(JobId job, const Jobspec& jobspec, MatchOp op, Time now);
  Match Restore(JobId job, const HeldParts& held, bool reserved, Time at,
                Time duration);
  bool Cancel(JobId job);
  Released CancelRanks(JobId job, const std::vector<std::int64_t>& ranks);
  Released CancelVertices(JobId job, const std::vector<VertexIndex>& vertices);
  void SetUp(VertexIndex v, bool up) { up_[v] = up; }

  // Must be called before the graph loses the ranks. False if it cannot.
  bool LoseRanks(const std::vector<std::int64_t>& ranks);
  // Must be called after the graph grew or shrank.
  void GraphChanged();

  std::int64_t Holders(VertexIndex v, bool reserved) const;
  Matcher::Hold HoldOf(JobId job, VertexIndex v) const;

 private:
  using Counts = std::map<TypeId, std::int64_t>;
  using Level = std::vector<int>;  // resources of a jobspec
  struct Choice {
    EdgeIndex edge = kNoEdge;
    std::int64_t units = 0;
    bool exclusive = false;
  };
  struct Group {
    std::int64_t score = 0;
    std::int64_t count = 0;
    std::vector<Choice> edges;
  };
  struct Groups {
    std::vector<Group> list;
    std::size_t chosen = 0;

    std::int64_t Count() const;
  };
  using Board = std::map<TypeId, Groups>;
  struct Visited {
    Group self;
    Board board;
  };
  // How a vertex relates to a level.
  struct Role {
    bool confused = false;
    int resource = -1;
    Level slots;  // if several, alternatives
    bool packs = false;
  };
  // What a job has at a vertex.
  struct Piece {
    bool tagged = false;
    bool shares = false;
    std::optional<std::int64_t> units;  // of the vertex itself
    std::optional<Counts> filter;
  };
  struct Job {
    bool reserved = false;
    Time start = 0;
    Time end = 0;
    std::map<VertexIndex, Piece> pieces;
  };
  struct Place {
    explicit Place(std::int64_t units) : plan(units) {}

    PlainPlan plan;
    std::set<JobId> holders;  // have units of it
    std::set<JobId> sharers;  // have something at or below it
    bool filtered = false;
    std::vector<std::pair<TypeId, PlainPlan>> filter;
    int filter_spans = 0;
  };
  // One of the jobspecs that the alternatives of a jobspec make.
  struct Way {
    Jobspec spec;
    std::vector<int> origins;  // [resource]: which one it is of the jobspec
  };
  struct Attempt {
    Time at = 0;
    Time end = 0;
    bool now = false;
    bool status = true;
  };

  // Pruning filters.
  void ReadFilters(const std::string& specification);
  bool Tracked(TypeId type) const;
  void TrackLeaves(VertexIndex v);
  Counts CountBelow(VertexIndex v);
  void SetFilter(VertexIndex v, const Counts& below);
  bool FilterHas(VertexIndex v, const Counts& needs) const;

  // Jobspecs.
  void Understand(const Jobspec& jobspec);
  void UnderstandWays(const Jobspec& jobspec);
  std::vector<Way> WaysOf(const Jobspec& jobspec) const;
  Counts Needs(const Level& level) const;
  Level Parts(const Level& slots) const;
  bool Fulfils(VertexIndex v, const Constraint& constraint, int node) const;
  bool Fulfils(VertexIndex v) const;

  // Walks.
  bool SelectAny(Time at, bool now, bool status);
  bool Select(Time at, bool now, bool status);
  std::optional<Visited> Visit(EdgeIndex way, VertexIndex v, const Level& level,
                               bool pristine, bool exclusive);
  Role RoleOf(VertexIndex v, const Level& level) const;
  bool HasChildrenFor(VertexIndex v, int slot) const;
  bool Pruned(VertexIndex v, const Level& level, bool exclusive) const;
  bool InUse(VertexIndex v) const;
  void Explore(VertexIndex v, const Level& level, std::uint64_t multiplier,
               bool pristine, bool exclusive, Board& board);
  void ExploreUntilEnough(std::vector<EdgeIndex> edges, const Level& level,
                          std::uint64_t multiplier, bool pristine,
                          bool exclusive, Board& board);
  bool ExploreEdge(EdgeIndex e, const Level& level, bool pristine,
                   bool exclusive, Board& board);
  void PackSlots(VertexIndex v, const Level& slots, Board& board);
  Level SlotsToTry(const Level& slots, const Board& parts) const;
  using Best = std::map<Counts, Level>;
  Level BestRow(const Level& slots, const Counts& left, Best& known) const;
  bool Choose(Board& board, int resource, bool top);
  void SortByScore(std::vector<Group>& list, bool descending) const;
  void SortByRuns(std::vector<Group>& list) const;
  void Mark(const Board& board);
  void MarkWaysUp(const Board& board);
  std::int64_t Score(VertexIndex v) const;

  // Answers.
  Match Find(JobId job, MatchOp op);
  bool EnoughNodes(MatchOp op) const;
  std::int64_t NodesUp() const;
  bool Satisfiable();
  Match Reserve(JobId job, MatchOutcome how);
  Match Book(JobId job, Time at, MatchOutcome how);

  // Bookings.
  std::optional<int> Walk(EdgeIndex way, VertexIndex v, Choice mark, bool whole,
                          Counts& above);
  bool BookVertex(VertexIndex v, std::int64_t units, bool exclusive,
                  const Counts& below);
  void Weigh(EdgeIndex e);
  bool BookPart(const HeldPart& part);
  void ReleasePiece(JobId job, VertexIndex v);
  void ReleaseAll(JobId job);
  Released ReleasePart(JobId job, const std::vector<VertexIndex>& vertices);
  bool ReduceFilter(JobId job, VertexIndex v, const Counts& by);

  const ResourceGraph& graph_;
  const PlainPolicy policy_;
  const MatcherOptions options_;
  std::map<TypeId, std::set<TypeId>> tracked_at_;
  std::set<TypeId> tracked_everywhere_;

  std::vector<char> up_;       // [vertex]
  std::vector<Place> places_;  // [vertex]
  std::map<JobId, Job> jobs_;
  std::map<EdgeIndex, std::int64_t> weights_;

  // State of one match.
  std::vector<Way> ways_;
  std::vector<Counts> needs_of_all_;  // [resource of the jobspec]
  Counts total_;
  std::set<TypeId> whole_of_any_;

  // State of one way.
  const Jobspec* spec_ = nullptr;
  std::vector<TypeId> types_;  // [resource]
  std::vector<Level> with_;    // [resource]
  std::vector<Counts> needs_;  // [resource]: for one unit of it
  Level top_;
  Time now_ = 0;
  Time duration_ = 0;
  Attempt attempt_;
  std::set<TypeId> whole_types_;
  std::map<EdgeIndex, Choice> marks_;
  std::vector<char> visited_;  // [vertex]
  std::int64_t factors_ = 0;
  enum class Mode { kBook, kRestore, kLook };
  Mode mode_ = Mode::kBook;
  JobId job_ = 0;
  Match match_;
};

}  // namespace fluxnetes::matcher
