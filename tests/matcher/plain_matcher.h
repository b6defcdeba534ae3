// Fluxion's matcher once more, as plain as can be: whole walks, lists of spans
// that are looked through, no index, nothing kept between matches. What the
// fast one is compared with.
//
// Knows the simple traverser, named policies, and filters of the default
// specification (ALL:core,ALL:node).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "matcher/matcher.h"

namespace fluxnetes::matcher {

class PlainMatcher {
 public:
  PlainMatcher(const ResourceGraph& graph, const std::string& policy);

  Match Run(JobId job, const Jobspec& jobspec, MatchOp op);
  void Cancel(JobId job);
  void SetUp(VertexIndex v, bool up) { up_[v] = up; }

 private:
  using Counts = std::map<TypeId, std::int64_t>;
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
  struct Span {
    JobId job;
    VertexIndex v;
    Time start;
    Time end;
    std::int64_t units;
  };
  struct FilterSpan {
    JobId job;
    VertexIndex v;
    Time start;
    Time end;
    Counts counts;
  };
  struct Attempt {
    Time at = 0;
    Time duration = 0;
    bool now = false;
    bool status = true;
  };
  using Level = std::vector<int>;  // resources of the jobspec

  // What there is.
  void CountBelow(VertexIndex v);
  std::vector<TypeId> FilterTypes(VertexIndex v) const;
  Level With(int resource) const;
  Level Top() const;
  TypeId TypeOf(int resource) const;
  Counts Needs(const Level& level) const;

  // What is left.
  std::int64_t Left(VertexIndex v) const;
  std::int64_t Sharers(VertexIndex v) const;
  std::int64_t Used(VertexIndex v, TypeId type, Time from, Time to) const;
  bool FilterHas(VertexIndex v, const Counts& needs) const;

  // The walk.
  bool Select();
  std::optional<Visited> Visit(EdgeIndex way, VertexIndex v, const Level& level,
                               bool pristine, bool exclusive);
  bool Pruned(VertexIndex v, const Level& level, bool exclusive) const;
  void Explore(VertexIndex v, const Level& level, std::uint64_t multiplier,
               bool pristine, bool exclusive, Board& board);
  bool ExploreEdge(EdgeIndex e, const Level& level, bool pristine,
                   bool exclusive, Board& board);
  void PackSlots(VertexIndex v, int slot, Board& board);
  bool Choose(Board& board, int resource, bool top);
  void Sort(std::vector<Group>& list, bool descending) const;
  void Mark(const Board& board);
  std::int64_t Score(VertexIndex v) const;

  // The outcome.
  std::int64_t NodesUp() const;
  bool Satisfiable();
  std::optional<Match> Reserve(JobId job, const Counts& needs);
  Match Book(JobId job, Time at, MatchOutcome how);
  int Walk(EdgeIndex way, VertexIndex v, Choice mark, bool whole,
           Counts& above);

  const ResourceGraph& graph_;
  std::string policy_;
  bool descending_ = false;
  bool node_centric_ = false;
  bool node_exclusive_ = false;
  bool first_ = false;
  std::set<TypeId> tracked_;
  std::set<TypeId> leaf_types_;  // kept at clusters
  std::map<VertexIndex, Counts> below_;
  std::map<VertexIndex, bool> up_;

  std::vector<Span> spans_;
  std::vector<Span> sharing_;
  std::vector<FilterSpan> filter_spans_;
  std::set<std::pair<JobId, VertexIndex>> allocations_;
  std::map<EdgeIndex, std::int64_t> weights_;

  // Of one match.
  const Jobspec* spec_ = nullptr;
  Attempt attempt_;
  std::set<TypeId> whole_types_;
  std::map<EdgeIndex, Choice> marks_;
  std::set<VertexIndex> visited_;
  std::int64_t factors_ = 0;
  JobId job_ = 0;
  Match match_;
};

}  // namespace fluxnetes::matcher
