#include <algorithm>
#include <numeric>

#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {
namespace {

// Fluxion leaves the order of equal candidates to std::sort of libstdc++, and
// so does this for lists up to `most`. In longer ones they stay in the order
// found; there only the first ones are sorted, the others stay as they are
// behind them.
template <typename Thing, typename Before>
void SortFirst(std::vector<Thing>& things, std::size_t first,
               std::uint64_t most, Before before) {
  constexpr std::size_t kFew = 8;
  const std::size_t size = things.size();
  // No two are equal and all are in order: no sort changes that.
  const auto not_before = std::adjacent_find(
      things.begin(), things.end(),
      [&](const Thing& a, const Thing& b) { return !before(a, b); });
  if (not_before == things.end()) return;
  if (size <= most) {
    std::sort(things.begin(), things.end(), before);
    return;
  }
  if (first > size / kFew) {
    std::stable_sort(things.begin(), things.end(), before);
    return;
  }
  std::vector<std::int32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(first);
  std::partial_sort(order.begin(), end, order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      if (before(things[a], things[b])) return true;
                      return a < b && !before(things[b], things[a]);
                    });
  order.erase(end, order.end());
  std::vector<Thing> best;
  for (const std::int32_t at : order) best.push_back(things[at]);
  std::sort(order.begin(), order.end());
  // Moves those that stay behind the best, from the last one on.
  auto to = things.begin() + (order.empty() ? 0 : order.back() + 1);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const auto next = std::next(at);
    const std::int32_t from = next == order.rend() ? 0 : *next + 1;
    to = std::move_backward(things.begin() + from, things.begin() + *at, to);
  }
  std::move(best.begin(), best.end(), things.begin());
}

// Returns the scores that begin a run: those without a score right below them.
std::vector<std::int64_t> RunStarts(const std::vector<Candidate>& candidates) {
  constexpr std::int64_t kDense = 8;
  std::int64_t least = candidates.front().score;
  std::int64_t most = least;
  for (const Candidate& candidate : candidates) {
    least = std::min(least, candidate.score);
    most = std::max(most, candidate.score);
  }
  std::vector<std::int64_t> starts;
  const auto size = static_cast<std::int64_t>(candidates.size());
  if (most - least < kDense * size) {
    std::vector<char> is_score(most - least + 1);
    for (const Candidate& candidate : candidates) {
      is_score[candidate.score - least] = 1;
    }
    for (std::int64_t i = 0; i <= most - least; ++i) {
      if (is_score[i] != 0 && (i == 0 || is_score[i - 1] == 0)) {
        starts.push_back(least + i);
      }
    }
    return starts;
  }
  std::vector<std::int64_t> scores;
  for (const Candidate& candidate : candidates) {
    scores.push_back(candidate.score);
  }
  std::sort(scores.begin(), scores.end());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i == 0 || scores[i] > scores[i - 1] + 1) starts.push_back(scores[i]);
  }
  return starts;
}

// Returns the performance class in the properties of a vertex.
std::int64_t PerformanceClass(const Properties* properties) {
  if (properties == nullptr) return kWorstClass;
  const auto found = properties->find("perf_class");
  if (found == properties->end()) return kWorstClass;
  return ParseClass(found->second).value_or(kWorstClass);
}

}  // namespace

// Computes what a vertex adds to the scores below it, which draws the subtree
// of a node together. False if its id is out of range.
bool Selection::Factor(VertexIndex v, std::int64_t& factor) const {
  constexpr std::int64_t kWeight = 10'000;
  constexpr std::int64_t kMaxId = std::int64_t{1} << 40;
  factor = 0;
  const std::int64_t id = graph_.id(v);
  if (id < -1 || id > kMaxId) return false;
  if (!policy_.node_centric || graph_.type(v) != types::kNode) return true;
  const std::int64_t salt = graph_.uniq_id(v) % kWeight - 1;
  factor = (id + 2) * kWeight + (salt < 0 ? -salt : salt);
  return true;
}

std::int64_t Selection::ScoreOf(VertexIndex v) const {
  if (policy_.score == Policy::Score::kVariation) {
    return 1 + PerformanceClass(graph_.PropertiesOf(v));
  }
  return 2 + factors_ + graph_.id(v);
}

void Selection::Sort(Scoreboard::List& list, bool descending,
                     std::size_t first) const {
  SortFirst(list.candidates, first, most_sorted_,
            [descending](const Candidate& a, const Candidate& b) {
              return descending ? a.score > b.score : a.score < b.score;
            });
}

// Scores without a gap between them form a run. Runs of higher scores come
// first; members of a run are equal.
void Selection::SortByRuns(Scoreboard::List& list, std::size_t first) const {
  struct Member {
    std::ptrdiff_t run = 0;
    Candidate candidate;
  };
  const auto starts = RunStarts(list.candidates);
  std::vector<Member> members;
  for (const Candidate& candidate : list.candidates) {
    members.push_back(
        {std::upper_bound(starts.begin(), starts.end(), candidate.score) -
             starts.begin(),
         candidate});
  }
  SortFirst(members, first, most_sorted_,
            [](const Member& a, const Member& b) { return a.run > b.run; });
  for (std::size_t i = 0; i < members.size(); ++i) {
    list.candidates[i] = members[i].candidate;
  }
}

// Sorts what was found for the resource and chooses the best of it.
bool Selection::ChooseBest(Scoreboard& board, int resource, bool top) {
  Scoreboard::List* list = board.Find(request_->types[resource]);
  if (list == nullptr) return false;
  const std::uint64_t take =
      request_->resource(resource).count.Take(list->units);
  if (take == 0) return false;
  // Each candidate has a unit at least.
  const auto first = static_cast<std::size_t>(
      std::min<std::uint64_t>(take, list->candidates.size()));
  if (top && policy_.score == Policy::Score::kLocality) {
    SortByRuns(*list, first);
  } else {
    Sort(*list, policy_.descending, first);
  }
  std::uint64_t taken = 0;
  list->chosen = 0;
  while (taken < take) taken += list->candidates[list->chosen++].units;
  return true;
}

void Selection::MarkEdge(EdgeIndex e, std::int64_t units, bool exclusive) {
  if (listed_ && e != kNoEdge && marks_[e].turn != turn_) {
    marked_.push_back({graph_.source(e), e});
  }
  (e == kNoEdge ? root_mark_ : marks_[e]) = {turn_, units, exclusive};
}

void Selection::MarkChosen(const Scoreboard& board, bool climb) {
  for (const Scoreboard::List& list : board) {
    for (std::size_t i = 0; i < list.chosen; ++i) {
      const Candidate& candidate = list.candidates[i];
      for (int c = 0; c < candidate.choices; ++c) {
        const Choice choice = ChoiceOf(candidate, c);
        MarkEdge(choice.edge, choice.units, choice.exclusive);
        if (climb) MarkWayUp(choice.edge);
      }
    }
  }
}

// Marks the edges up to the root: vertices on the way are shared.
void Selection::MarkWayUp(EdgeIndex e) {
  while (e != kNoEdge) {
    const VertexIndex v = graph_.source(e);
    e = graph_.FirstIn(v);
    if (e == kNoEdge || Selected(e)) return;
    const Scoreboard::List* list = top_.Find(graph_.type(v));
    if (list != nullptr && list->chosen == 0) {
      MarkEdge(e, graph_.units(v), false);
    }
  }
}

// Makes the choice at the top, from all that was passed up.
bool Selection::Finish(Candidate root) {
  const VertexIndex v = graph_.root();
  const Level level = request_->top();
  const bool exclusive = AsksExclusive(v, level);
  std::int64_t units = 1;
  for (int r = level.first; r < level.last; ++r) {
    if (request_->types[r] != graph_.type(v)) continue;
    units =
        static_cast<std::int64_t>(request_->resource(r).count.Take(root.units));
  }
  root.first = static_cast<std::int32_t>(choices_.size());
  root.choices = 1;
  choices_.push_back({kNoEdge, units, exclusive});
  top_.Add(graph_.type(v), root);
  for (int r = level.first; r < level.last; ++r) {
    if (!ChooseBest(top_, r, /*top=*/true)) return false;
  }
  MarkChosen(top_, /*climb=*/true);
  if (root_mark_.turn != turn_) MarkEdge(kNoEdge, units, exclusive);
  return true;
}

}  // namespace fluxnetes::matcher
