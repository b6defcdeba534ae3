// Walks that recall what earlier walks have found.
#include <algorithm>
#include <utility>

#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMostMemos = 4;

}  // namespace

bool Selection::IsTree() {
  if (!tree_) {
    const auto reached = graph_.PostOrder(graph_.root());
    std::size_t ways = 1;
    for (const VertexIndex v : reached) {
      for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge;
           e = graph_.NextOut(e)) {
        ++ways;
      }
    }
    tree_ = ways == reached.size();
  }
  return *tree_;
}

// Returns the memo for this run; null if it has none. Only runs for the present
// time recur, and only the second run for a request makes a memo.
VisitMemo* Selection::MemoForRun() {
  if (policy_.stop_on_match || !times_.now || !IsTree()) return nullptr;
  const VisitMemo::Moment moment{times_.at, times_.steady ? 0 : times_.duration,
                                 times_.status};
  const auto found = std::find_if(
      memos_.begin(), memos_.end(),
      [&](const auto& memo) { return memo->Serves(*request_, moment); });
  if (found == memos_.end()) {
    if (memos_.size() == kMostMemos) memos_.pop_back();
    memos_.insert(memos_.begin(),
                  std::make_unique<VisitMemo>(*request_, moment));
    return nullptr;
  }
  std::rotate(memos_.begin(), found, found + 1);
  memos_.front()->CatchUp(graph_, bookings_.log);
  return memos_.front().get();
}

// Does what a visit does, from the memo if it has the vertex.
bool Selection::RecallChild(EdgeIndex e, Level level, bool pristine,
                            bool exclusive, int depth, Scoreboard& board) {
  const VertexIndex child = graph_.target(e);
  const VisitMemo::Approach approach{
      e, level.first, level.last, pristine, exclusive, depth, factors_};
  VisitMemo::Entry* entry = memo_->Find(child);
  if (entry != nullptr && entry->approach == approach) {
    entry->recalled = turn_;
    visited_[child] = turn_;
    if (!entry->found) return false;
    board.AddAll(entry->below);
    board.Add(graph_.type(child), entry->candidate);
    return true;
  }
  Candidate candidate;
  const bool found =
      Visit(e, child, level, pristine, exclusive, depth, candidate);
  const Scoreboard* below =
      found && !boards_[depth].Chosen() ? &boards_[depth] : nullptr;
  memo_->Keep(child, approach, found, candidate, below, choices_);
  if (!found) return false;
  if (below != nullptr) board.AddAll(*below);
  board.Add(graph_.type(child), candidate);
  return true;
}

// Visits the recalled vertices that are selected, so that what is selected
// below them is marked. Below one of them others may have been recalled.
void Selection::VisitRecalled() {
  bool again = true;
  while (std::exchange(again, false)) {
    for (std::size_t i = 0; i < marked_.size(); ++i) {
      VisitMemo::Entry* entry = memo_->Find(graph_.target(marked_[i].edge));
      if (entry == nullptr || entry->recalled != turn_) continue;
      entry->recalled = 0;
      again = true;
      const VisitMemo::Approach by = entry->approach;
      Candidate candidate;
      factors_ = by.factors;
      Visit(by.way, graph_.target(by.way), {by.level_first, by.level_last},
            by.pristine, by.exclusive, by.depth, candidate);
    }
  }
  factors_ = 0;
}

}  // namespace fluxnetes::matcher
