#include <algorithm>

#include "matcher/selection.h"

namespace fluxnetes::matcher {

bool Selection::VisitChild(EdgeIndex e, Level level, bool pristine,
                           bool exclusive, int depth, Scoreboard& board) {
  const VertexIndex child = graph_.target(e);
  if (visited_[child] == turn_) return false;
  Candidate candidate;
  if (!Visit(e, child, level, pristine, exclusive, depth + 1, candidate)) {
    return false;
  }
  const Scoreboard& below = boards_[depth + 1];
  if (!below.Chosen()) board.AddAll(below);
  board.Add(graph_.type(child), candidate);
  return true;
}

void Selection::Explore(VertexIndex v, Level level, std::uint64_t multiplier,
                        bool pristine, bool exclusive, int depth,
                        Scoreboard& board) {
  if (level.first == level.last && !pristine) return;  // nothing is asked
  if (policy_.stop_on_match) {
    ExploreUntilEnough(v, level, multiplier, pristine, exclusive, depth, board);
    return;
  }
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    VisitChild(e, level, pristine, exclusive, depth, board);
  }
}

// The heaviest edge first, then the highest uniq id, until every type has
// enough. What a child brings counts as one bundle for one share.
void Selection::ExploreUntilEnough(VertexIndex v, Level level,
                                   std::uint64_t multiplier, bool pristine,
                                   bool exclusive, int depth,
                                   Scoreboard& board) {
  struct Share {
    TypeId type;
    std::uint64_t per_share;
    std::uint64_t gathered = 0;
    std::uint64_t shares = 0;
    std::int64_t before = 0;
  };
  std::vector<Share> wanted;
  for (int i = level.first; i < level.last; ++i) {
    const int r = request_->lists[i];
    wanted.push_back({request_->types[r], request_->resource(r).count.Most()});
  }
  const auto enough = [&](const Share& share) {
    return share.shares >= multiplier;
  };
  for (const EdgeIndex e : bookings_.weights.From(graph_, v)) {
    if (std::all_of(wanted.begin(), wanted.end(), enough)) return;
    const bool skip =
        std::any_of(wanted.begin(), wanted.end(), [&](const Share& share) {
          return share.type == graph_.type(graph_.target(e)) && enough(share);
        });
    if (skip) continue;
    for (Share& share : wanted) share.before = board.Units(share.type);
    if (!VisitChild(e, level, pristine, exclusive, depth, board)) continue;
    for (Share& share : wanted) {
      share.gathered += board.Units(share.type) - share.before;
      if (share.gathered < share.per_share) continue;
      ++share.shares;
      share.gathered = 0;
    }
  }
}

}  // namespace fluxnetes::matcher
