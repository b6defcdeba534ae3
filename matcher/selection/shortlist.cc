#include "matcher/selection/shortlist.h"

#include <algorithm>
#include <bit>

namespace fluxnetes::matcher {

Shortlist::Shortlist(Kind kind, const JobRequest& request, int vertices)
    : kind_(kind),
      types_(request.types),
      with_(request.with),
      constraint_(request.spec->constraint),
      places_(vertices, kUnknown) {
  for (const JobResource& resource : request.spec->resources) {
    fixed_ = fixed_ && IsFixed(resource.count);
    counts_.push_back(resource.count.min);
    exclusive_.push_back(resource.exclusive);
  }
}

bool Shortlist::IsFixed(const Count& count) {
  return count.min > 0 && count.min == count.max;
}

bool Shortlist::Serves(const JobRequest& request) const {
  if (request.types != types_) return false;
  bool fixed = true;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const JobResource& resource = request.spec->resources[i];
    fixed = fixed && IsFixed(resource.count);
    if ((i > 0 && resource.count.min != counts_[i]) ||
        resource.exclusive != exclusive_[i] ||
        request.with[i].first != with_[i].first ||
        request.with[i].last != with_[i].last) {
      return false;
    }
  }
  return fixed == fixed_ && request.spec->constraint == constraint_;
}

void Shortlist::Finish() {
  if (kind_ == Kind::kSlots) {
    leaves_ = static_cast<int>(
        std::bit_ceil(static_cast<std::size_t>(std::max(size(), 1))));
    holders_.resize(items_.size());
  } else {
    std::stable_sort(
        items_.begin(), items_.end(),
        [](const Item& a, const Item& b) { return a.key < b.key; });
    times_.resize(items_.size());
    const int blocks = (size() + kBlock - 1) / kBlock;
    blocks_.resize(blocks);
    groups_.resize((blocks + kBlock - 1) / kBlock);
  }
  for (int i = 0; i < size(); ++i) places_[items_[i].vertex] = i;
}

int Shortlist::Next(int from, Time at, Time end) const {
  const auto rules_out = [&](const Times& times) {
    return times.from < end && at < times.to;
  };
  int i = from;
  while (i < size()) {
    if (i % (kBlock * kBlock) == 0 && rules_out(groups_[i / kBlock / kBlock])) {
      i += kBlock * kBlock;
    } else if (i % kBlock == 0 && rules_out(blocks_[i / kBlock])) {
      i += kBlock;
    } else if (rules_out(times_[i])) {
      ++i;
    } else {
      return i;
    }
  }
  return -1;
}

void Shortlist::Summarize(int block) {
  const auto all = [](const std::vector<Times>& of, int first) {
    const int last = std::min(first + kBlock, static_cast<int>(of.size()));
    Times times{0, kForever};
    for (int i = first; i < last; ++i) {
      times.from = std::max(times.from, of[i].from);
      times.to = std::min(times.to, of[i].to);
    }
    return times;
  };
  blocks_[block] = all(times_, block * kBlock);
  groups_[block / kBlock] = all(blocks_, block / kBlock * kBlock);
}

void Shortlist::RuleOut(int item, const Planner::Stretch& stretch) {
  times_[item] = {stretch.start, stretch.end};
  Summarize(item / kBlock);
}

void Shortlist::Readmit(int item) {
  if (times_[item].to == 0) return;
  times_[item] = {};
  blocks_[item / kBlock] = {};
  groups_[item / kBlock / kBlock] = {};
}

int Shortlist::Best() const {
  if (tree_[1] == kNothing) return -1;
  int i = 1;
  while (i < leaves_) {
    i *= 2;
    if (tree_[i] != tree_[i / 2]) ++i;
  }
  return i - leaves_;
}

void Shortlist::SetKey(int holder, std::int64_t key) {
  int i = leaves_ + holder;
  tree_[i] = key;
  for (i /= 2; i > 0; i /= 2) {
    const std::int64_t least = std::min(tree_[2 * i], tree_[2 * i + 1]);
    if (tree_[i] == least) return;
    tree_[i] = least;
  }
}

void Shortlist::SetSlots(int i, int slots) {
  Holder& holder = holders_[i];
  if (holder.slots >= 0) known_slots_ -= holder.slots;
  if (slots >= 0) known_slots_ += slots;
  holder.slots = slots;
}

void Shortlist::ComeTo(Time at, Time duration, bool now, bool status) {
  if (at != at_ || now != now_ || status != status_) {
    at_ = at;
    now_ = now;
    status_ = status;
    ForgetBounds();
  }
  if (duration == duration_) return;
  duration_ = duration;
  for (Holder& holder : holders_) holder.slots = -1;
  known_slots_ = 0;
}

void Shortlist::ForgetBounds() {
  duration_ = -1;
  unsettled.clear();
  tree_.assign(std::size_t{2} * leaves_, kNothing);
  for (int i = 0; i < size(); ++i) {
    holders_[i].bound = items_[i].key;
    tree_[leaves_ + i] = items_[i].key;
  }
  for (int i = leaves_ - 1; i > 0; --i) {
    tree_[i] = std::min(tree_[2 * i], tree_[2 * i + 1]);
  }
}

void Shortlist::Changed(int i, bool released, std::uint64_t turn) {
  SetSlots(i, -1);
  Holder& holder = holders_[i];
  const bool foreseen = turn != 0 && turn == holder.turn;
  if (!released && (!foreseen || holder.then <= holder.bound)) return;
  holder.bound = released ? items_[i].key : holder.then;
  if (!tree_.empty()) SetKey(i, holder.bound);
}

}  // namespace fluxnetes::matcher
