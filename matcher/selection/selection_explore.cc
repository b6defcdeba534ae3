#include <algorithm>
#include <utility>

#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {

bool Selection::VisitChild(EdgeIndex e, Level level, bool pristine,
                           bool exclusive, int depth, Scoreboard& board) {
  const VertexIndex child = graph_.target(e);
  if (visited_[child] == turn_) return false;
  if (memo_ != nullptr && !graph_.IsLeaf(child)) {
    return RecallChild(e, level, pristine, exclusive, depth + 1, board);
  }
  Candidate candidate;
  if (!Visit(e, child, level, pristine, exclusive, depth + 1, candidate)) {
    return false;
  }
  const Scoreboard& below = boards_[depth + 1];
  if (!below.Chosen()) board.AddAll(below);
  board.Add(graph_.type(child), candidate);
  return true;
}

// Does what a visit does, for a leaf whose only condition is its own use. Most
// vertices are such leaves.
std::optional<bool> Selection::TakeLeaf(EdgeIndex e, Level level,
                                        bool exclusive, Scoreboard& board) {
  const VertexIndex v = graph_.target(e);
  const TypeId type = graph_.type(v);
  if (!graph_.IsLeaf(v) || type == types::kNode ||
      type == types::kStorageNode || filters_.At(v) != nullptr) {
    return std::nullopt;
  }
  int asked = -1;
  for (int i = level.first; i < level.last; ++i) {
    const int r = request_->lists[i];
    if (request_->IsSlot(r)) return std::nullopt;
    if (request_->types[r] != type) continue;
    if (asked >= 0 || request_->with[r].first != request_->with[r].last) {
      return std::nullopt;
    }
    asked = r;
  }
  if (asked < 0) return false;
  const std::int64_t units = bookings_.plans.LeastDuring(
      v, graph_.units(v), times_.at, times_.duration);
  if (units <= 0) return false;
  const std::optional<bool> alone = request_->resource(asked).exclusive;
  std::int64_t factor = 0;
  if (visited_[v] == turn_ || (times_.status && !graph_.up(v)) ||
      (exclusive && alone == false) || !Factor(v, factor)) {
    return false;
  }
  exclusive = exclusive || alone == true;
  if (PrunedByUse(v, exclusive)) return false;
  visited_[v] = turn_;
  stands_[v] = {turn_, asked};
  board.Add(type,
            {ScoreOf(v), units, static_cast<std::int32_t>(choices_.size()), 1});
  choices_.push_back({e, units, exclusive});
  return true;
}

bool Selection::TakeChild(EdgeIndex e, Level level, bool pristine,
                          bool exclusive, int depth, Scoreboard& board) {
  // Most vertices that are of no use are taken whole by another job.
  const VertexIndex child = graph_.target(e);
  if (bookings_.plans.TakenIn(child, times_.at, times_.duration)) return false;
  const auto taken =
      pristine ? std::nullopt : TakeLeaf(e, level, exclusive, board);
  return taken ? *taken
               : VisitChild(e, level, pristine, exclusive, depth, board);
}

void Selection::Explore(VertexIndex v, Level level, std::uint64_t multiplier,
                        bool pristine, bool exclusive, int depth,
                        Scoreboard& board) {
  if (level.first == level.last && !pristine) return;  // nothing is requested
  if (policy_.stop_on_match) {
    ExploreUntilEnough(v, level, multiplier, pristine, exclusive, depth, board);
    return;
  }
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    TakeChild(e, level, pristine, exclusive, depth, board);
  }
}

// Takes the heaviest edge first, then the highest uniq id, until every type has
// enough. What a child brings counts as one bundle for one share.
void Selection::ExploreUntilEnough(VertexIndex v, Level level,
                                   std::uint64_t multiplier, bool pristine,
                                   bool exclusive, int depth,
                                   Scoreboard& board) {
  std::vector<Share>& wanted = shares_[depth];
  wanted.clear();
  for (int i = level.first; i < level.last; ++i) {
    const int r = request_->lists[i];
    wanted.push_back({request_->types[r], request_->resource(r).count.Most()});
  }
  if (wanted.empty() || multiplier == 0) return;
  const auto enough = [&](const Share& share) {
    return share.shares >= multiplier;
  };
  bool some = false;
  // Thousands of children may be taken, and are far apart in memory.
  constexpr std::size_t kAhead = 8;
  const auto edges = bookings_.weights.From(graph_, v);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const EdgeIndex e = edges[i];
    if (i + kAhead < edges.size()) {
      bookings_.plans.Expect(graph_.target(edges[i + kAhead]));
    }
    const auto of_this_type = [&](const Share& share) {
      return share.type == graph_.type(graph_.target(e)) && enough(share);
    };
    if (some && std::any_of(wanted.begin(), wanted.end(), of_this_type)) {
      continue;
    }
    if (!TakeChild(e, level, pristine, exclusive, depth, board)) continue;
    for (Share& share : wanted) {
      const std::int64_t units = board.Units(share.type);
      share.gathered += units - std::exchange(share.before, units);
      if (share.gathered < share.per_share) continue;
      ++share.shares;
      share.gathered = 0;
      some = some || enough(share);
    }
    if (some && std::all_of(wanted.begin(), wanted.end(), enough)) return;
  }
}

}  // namespace fluxnetes::matcher
