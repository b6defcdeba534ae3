#include <algorithm>

#include "tests/matcher/plain/plain_jobspec.h"
#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {
namespace {

// Fluxion leaves the order of equal candidates to std::sort; in lists longer
// than this, they stay as they were found, unless they are to be sorted too.
constexpr std::size_t kMostOrderedAsFluxion = 1'024;

template <typename List, typename Before>
void Sort(List& list, bool always, Before before) {
  if (always || list.size() <= kMostOrderedAsFluxion) {
    std::sort(list.begin(), list.end(), before);
  } else {
    std::stable_sort(list.begin(), list.end(), before);
  }
}

}  // namespace

void PlainMatcher::SortByScore(std::vector<Group>& list,
                               bool descending) const {
  Sort(list, options_.sort_equals, [&](const Group& a, const Group& b) {
    return descending ? a.score > b.score : a.score < b.score;
  });
}

// Scores without a gap between them form a run, whose members are equal.
void PlainMatcher::SortByRuns(std::vector<Group>& list) const {
  std::set<std::int64_t> scores;
  for (const Group& group : list) scores.insert(group.score);
  std::map<std::int64_t, std::int64_t> start;
  for (const std::int64_t score : scores) {
    start[score] = scores.contains(score - 1) ? start[score - 1] : score;
  }
  Sort(list, options_.sort_equals, [&](const Group& a, const Group& b) {
    return start[a.score] > start[b.score];
  });
}

bool PlainMatcher::Choose(Board& board, int resource, bool top) {
  const auto found = board.find(types_[resource]);
  if (found == board.end()) return false;
  Groups& groups = found->second;
  const std::uint64_t take =
      PlainTake(spec_->resources[resource].count, groups.Count());
  if (take == 0) return false;
  if (top && policy_.locality) {
    SortByRuns(groups.list);
  } else {
    SortByScore(groups.list, policy_.descending);
  }
  std::uint64_t taken = 0;
  groups.chosen = 0;
  while (taken < take) taken += groups.list[groups.chosen++].count;
  return true;
}

void PlainMatcher::Mark(const Board& board) {
  for (const auto& [type, groups] : board) {
    for (std::size_t i = 0; i < groups.chosen; ++i) {
      for (const Choice& choice : groups.list[i].edges) {
        marks_[choice.edge] = choice;
      }
    }
  }
}

// Vertices above the chosen ones that were not requested are shared.
void PlainMatcher::MarkWaysUp(const Board& board) {
  std::vector<EdgeIndex> chosen;
  for (const auto& [type, groups] : board) {
    for (std::size_t i = 0; i < groups.chosen; ++i) {
      for (const Choice& choice : groups.list[i].edges) {
        chosen.push_back(choice.edge);
      }
    }
  }
  for (EdgeIndex e : chosen) {
    while (e != kNoEdge) {
      const VertexIndex v = graph_.source(e);
      e = graph_.FirstIn(v);
      if (e == kNoEdge || marks_.contains(e)) break;
      const auto found = board.find(graph_.type(v));
      if (found != board.end() && found->second.chosen == 0) {
        marks_[e] = {e, graph_.units(v), false};
      }
    }
  }
}

bool PlainMatcher::Select(Time at, bool now, bool status) {
  attempt_ = {at, at + duration_, now, status};
  marks_.clear();
  visited_.assign(graph_.size(), 0);
  factors_ = 0;
  const VertexIndex root = graph_.root();
  auto visited = Visit(kNoEdge, root, top_, true, false);
  if (!visited) return false;
  std::int64_t units = 1;
  bool exclusive = false;
  for (const int r : top_) {
    if (types_[r] != graph_.type(root)) continue;
    units = static_cast<std::int64_t>(
        PlainTake(spec_->resources[r].count, visited->self.count));
    exclusive = spec_->resources[r].exclusive == true;
  }
  Board& board = visited->board;
  Group self = visited->self;
  self.edges = {{kNoEdge, units, exclusive}};
  board[graph_.type(root)].list.push_back(self);
  for (const int r : top_) {
    if (!Choose(board, r, true)) return false;
  }
  Mark(board);
  MarkWaysUp(board);
  if (!marks_.contains(kNoEdge)) marks_[kNoEdge] = {kNoEdge, units, exclusive};
  return true;
}

}  // namespace fluxnetes::matcher
