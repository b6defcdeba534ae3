// Selections of slots that many vertices (holders) make. The best next slot of
// all is picked again and again. A holder is looked at only if its bound allows
// that it has the best.
#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {

// Finds the slots that a holder gives over the time of the match.
void Selection::Evaluate(Shortlist& list, int i) {
  Shortlist::Holder& holder = list.holder(i);
  const Shortlist::Item& item = list.item(i);
  holder.turn = turn_;
  holder.then = holder.bound;
  holder.first = holder.next = holder.last =
      static_cast<std::int32_t>(slots_seen_.size());
  list.looked_at.push_back(i);
  Candidate candidate;
  bool lasting = true;  // what is found stays so until something is released
  if (item.way == kNoEdge || Passable(graph_.source(item.way))) {
    factors_ = item.factors;
    pack_depth_ = item.depth;
    packed_of_ = 0;
    if (Visit(item.way, item.vertex, request_->top(), true, false, item.depth,
              candidate)) {
      const auto* slots = boards_[item.depth].Find(types::kSlot);
      if (slots != nullptr) {
        slots_seen_.insert(slots_seen_.end(), slots->candidates.begin(),
                           slots->candidates.end());
      }
    }
    factors_ = 0;
    pack_depth_ = -1;
    holder.last = static_cast<std::int32_t>(slots_seen_.size());
  } else {
    // Lasts only if the closed vertex is taken whole: then its release resets
    // the holders below it.
    const VertexIndex above = graph_.source(item.way);
    lasting = WholeUse(passages_[above].closed_by).has_value();
  }
  const bool gives = holder.first < holder.last;
  list.SetSlots(i, gives ? static_cast<int>(packed_of_) : 0);
  std::int64_t key = Shortlist::kNothing;
  if (gives) {
    const std::int64_t score = slots_seen_[holder.first].score;
    key = policy_.descending ? -score : score;
  }
  list.SetKey(i, key);
  if (!lasting || key <= holder.bound) return;
  if (times_.steady) {
    holder.bound = key;
  } else if (times_.duration > 1) {
    list.unsettled.push_back(i);
  }
}

// Raises bounds that were found too low: the slots that a holder gives at the
// start alone bound those that it gives over any time from then on.
void Selection::Settle(Shortlist& list) {
  if (list.unsettled.empty()) return;
  const Times times = times_;
  times_.duration = 1;
  times_.steady = true;
  const std::vector<int> holders = std::move(list.unsettled);
  list.unsettled.clear();
  for (const int i : holders) {
    Evaluate(list, i);
    list.SetSlots(i, -1);
    list.SetKey(i, list.holder(i).bound);
  }
  Begin();
  listed_ = true;
  marked_.clear();
  times_ = times;
  list.looked_at.clear();
  slots_seen_.clear();
}

bool Selection::KnowsTooManyToSort(const Shortlist& list) const {
  return list.known_slots() > static_cast<std::int64_t>(most_sorted_);
}

// True if there are more slots than are sorted; then the order of equal slots
// is that of the holders.
bool Selection::MoreThanSorted(Shortlist& list) {
  if (most_sorted_ == kUnlimited) return false;
  for (int i = list.size() - 1; i >= 0 && !KnowsTooManyToSort(list); --i) {
    if (list.holder(i).slots < 0 && list.holder(i).turn != turn_) {
      Evaluate(list, i);
    }
  }
  return KnowsTooManyToSort(list);
}

std::optional<bool> Selection::RunContest(Shortlist& list) {
  if (list.size() == 0) return false;
  list.ComeTo(times_.at, times_.duration, times_.now, times_.status);
  list.looked_at.clear();
  slots_seen_.clear();
  Settle(list);
  const std::size_t wanted = request_->resource(0).count.min;
  std::int64_t key = 0;
  int best = list.Best();
  // Once all slots are picked, looks for another one as good as the last. It
  // does not matter if there are too many slots to be sorted.
  for (; best >= 0; best = list.Best()) {
    Shortlist::Holder& holder = list.holder(best);
    if (picked_.size() == wanted &&
        (list.KeyOf(best) != key || KnowsTooManyToSort(list))) {
      break;
    }
    if (holder.turn != turn_) {
      Evaluate(list, best);
      continue;
    }
    if (picked_.size() == wanted) break;
    key = list.KeyOf(best);
    picked_.push_back(slots_seen_[holder.next++]);
    std::int64_t then = Shortlist::kNothing;
    if (holder.next < holder.last) {
      const std::int64_t score = slots_seen_[holder.next].score;
      then = policy_.descending ? -score : score;
    }
    list.SetKey(best, then);
    if (times_.steady) holder.then = then;
  }
  const bool enough = picked_.size() == wanted;
  const bool chance = enough && best >= 0 && list.KeyOf(best) == key;
  std::optional<bool> found = enough;
  if (chance && !MoreThanSorted(list)) found = std::nullopt;
  for (const int i : list.looked_at) list.SetKey(i, list.holder(i).bound);
  return found;
}

}  // namespace fluxnetes::matcher
