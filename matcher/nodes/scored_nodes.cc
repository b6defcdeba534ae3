#include "matcher/nodes/scored_nodes.h"

#include <algorithm>

namespace fluxnetes::matcher {

using Score = PolicyOrder::Score;

void ScoredNodes::Begin(const PolicyOrder& order, double step) {
  score_ = order.score;
  sign_ =
      score_ == Score::kRuns || (score_ == Score::kUnits && order.highest_first)
          ? -1
          : 1;
  step_ = score_ == Score::kClass ? 0 : step;
  made_ = false;
  entries_.clear();
  run_.clear();
  next_ = 0;
}

void ScoredNodes::Add(NodeIndex node, double score, int tasks) {
  entries_.push_back(
      {sign_ * score, static_cast<std::int32_t>(entries_.size()), tasks, node});
}

void ScoredNodes::Push(const Entry& entry) {
  entries_.push_back(entry);
  std::push_heap(entries_.begin(), entries_.end(), Later);
}

ScoredNodes::Entry ScoredNodes::Pop() {
  std::pop_heap(entries_.begin(), entries_.end(), Later);
  const Entry entry = entries_.back();
  entries_.pop_back();
  return entry;
}

ScoredNodes::Share ScoredNodes::Next(int most) {
  if (!made_) std::make_heap(entries_.begin(), entries_.end(), Later);
  made_ = true;
  if (score_ != Score::kRuns) return NextOfHeap(most);
  if (next_ == run_.size()) FindRun();
  if (next_ == run_.size()) return {};
  Entry& entry = run_[next_];
  const int tasks = std::min(most, entry.tasks);
  entry.tasks -= tasks;
  if (entry.tasks == 0) ++next_;
  return {entry.node, tasks};
}

ScoredNodes::Share ScoredNodes::NextOfHeap(int most) {
  if (entries_.empty()) return {};
  Entry entry = Pop();
  const int tasks = step_ > 0 ? 1 : std::min(most, entry.tasks);
  const Share share{entry.node, tasks};
  entry.tasks -= tasks;
  entry.cost += step_;
  if (entry.tasks > 0) Push(entry);
  return share;
}

void ScoredNodes::FindRun() {
  run_.clear();
  next_ = 0;
  if (entries_.empty()) return;
  double last = entries_.front().cost;
  while (!entries_.empty() && entries_.front().cost <= last + 1) {
    Entry entry = Pop();
    const int tasks = step_ <= 1 ? entry.tasks : 1;
    last = std::max(last, entry.cost + (tasks - 1) * step_);
    run_.push_back({entry.cost, entry.place, tasks, entry.node});
    entry.tasks -= tasks;
    entry.cost += tasks * step_;
    if (entry.tasks > 0) Push(entry);
  }
  std::sort(run_.begin(), run_.end(), [](const Entry& a, const Entry& b) {
    return a.place != b.place ? a.place < b.place : a.cost < b.cost;
  });
}

}  // namespace fluxnetes::matcher
