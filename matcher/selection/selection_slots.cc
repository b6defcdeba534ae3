#include <algorithm>
#include <limits>
#include <map>

#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMaxStates = 100'000;

// Returns how many bundles of at least `each` units the candidates make, if
// each bundle takes the next whole ones.
std::size_t Bundles(const Scoreboard::List& list, std::uint64_t each) {
  std::size_t bundles = 0;
  std::uint64_t units = 0;
  for (const Candidate& candidate : list.candidates) {
    units += candidate.units;
    if (units < each) continue;
    ++bundles;
    units = 0;
  }
  return bundles;
}

}  // namespace

// Returns how many slots of one shape the parts make.
std::size_t Selection::SlotsThatFit(int slot, Scoreboard& parts) const {
  std::size_t slots = std::numeric_limits<std::size_t>::max();
  const Level with = request_->with[slot];
  for (int r = with.first; r < with.last; ++r) {
    const Scoreboard::List* list = parts.Find(request_->types[r]);
    if (list == nullptr) return 0;
    const std::uint64_t each = request_->resource(r).count.Take(list->units);
    if (each == 0) return 0;
    // The flexible traverser counts units, and makes no more slots than needed.
    slots = std::min(slots, request_->flexible
                                ? static_cast<std::size_t>(list->units / each)
                                : Bundles(*list, each));
  }
  if (with.first == with.last) return 0;
  if (request_->flexible) {
    slots = std::min<std::size_t>(slots, request_->resource(slot).count.Most());
  }
  return slots;
}

// Returns the longest row of slots of several shapes; of equally long rows, the
// one that has an earlier shape first. Keeps the answer for each state of the
// units left.
std::vector<int> Selection::AlternativesThatFit(const Role& role,
                                                Scoreboard& parts) const {
  using Left = std::vector<std::int64_t>;
  const Level shared = request_->parts[role.slot];
  const auto place = [&](int r) {
    int at = shared.first;
    while (request_->types[request_->lists[at]] != request_->types[r]) ++at;
    return at - shared.first;
  };
  struct Answer {
    std::uint64_t slots = 0;
    int best = -1;
  };
  std::map<Left, Answer> known;
  const auto take = [&](const Left& left, int slot) -> std::optional<Left> {
    Left rest = left;
    const Level with = request_->with[slot];
    if (with.first == with.last) return std::nullopt;
    for (int r = with.first; r < with.last; ++r) {
      std::int64_t& units = rest[place(r)];
      const std::uint64_t taken = request_->resource(r).count.Take(units);
      if (taken == 0) return std::nullopt;
      units -= static_cast<std::int64_t>(taken);
    }
    return rest;
  };

  Left all;
  for (int i = shared.first; i < shared.last; ++i) {
    all.push_back(parts.Units(request_->types[request_->lists[i]]));
  }
  // States to answer. A state is answered when those that follow it are.
  std::vector<Left> open = {all};
  while (!open.empty() && known.size() < kMaxStates) {
    const Left left = open.back();
    if (known.contains(left)) {
      open.pop_back();
      continue;
    }
    Answer answer;
    bool complete = true;
    for (int i = role.slots.first; i < role.slots.last; ++i) {
      const int slot = request_->lists[i];
      if (!request_->IsSlot(slot)) continue;
      const auto rest = take(left, slot);
      if (!rest) continue;
      const auto follows = known.find(*rest);
      if (follows == known.end()) {
        open.push_back(*rest);
        complete = false;
      } else if (follows->second.slots + 1 > answer.slots) {
        answer = {follows->second.slots + 1, slot};
      }
    }
    if (!complete) continue;
    known.emplace(left, answer);
    open.pop_back();
  }
  std::vector<int> row;
  Left left = all;
  for (auto at = known.find(left); at != known.end() && at->second.best >= 0;
       at = known.find(left)) {
    row.push_back(at->second.best);
    left = *take(left, at->second.best);
  }
  return row;
}

// Makes a slot of the next candidates of each part.
bool Selection::PackSlot(int slot, Scoreboard& parts, Scoreboard& board) {
  Candidate candidate{1, 1, static_cast<std::int32_t>(choices_.size()), 0};
  const Level with = request_->with[slot];
  for (int r = with.first; r < with.last; ++r) {
    const Scoreboard::List& list = *parts.Find(request_->types[r]);
    std::size_t& at = next_part_[&list - &*parts.begin()];
    const std::uint64_t each = request_->resource(r).count.Take(list.units);
    std::uint64_t units = 0;
    while (units < each && at < list.candidates.size()) {
      const Candidate& part = list.candidates[at++];
      units += part.units;
      if (__builtin_add_overflow(candidate.score, part.score,
                                 &candidate.score)) {
        candidate.score = std::numeric_limits<std::int64_t>::max();
      }
      ++candidate.choices;
      choices_.push_back(Choice(ChoiceOf(part, 0)));
    }
    if (units < each) return false;
  }
  board.Add(types::kSlot, candidate);
  return true;
}

// Finds the parts of slots among the children and makes as many slots as they
// give: each takes the next whole candidates of every part.
void Selection::PackSlots(VertexIndex v, const Role& role, int depth) {
  Scoreboard& parts = slots_[depth];
  parts.Clear();
  const std::uint64_t slots = request_->resource(role.slot).count.Most();
  Explore(v, request_->parts[role.slot], slots, false, true, depth, parts);
  const bool descending =
      policy_.score == Policy::Score::kId ? policy_.descending : true;
  for (Scoreboard::List& list : parts) {
    Sort(list, descending, list.candidates.size());
  }
  const Level own = request_->with[role.slot];
  const Level shared = request_->parts[role.slot];
  const bool alternatives = own.first != shared.first;
  if (alternatives) {
    row_ = AlternativesThatFit(role, parts);
  } else {
    row_.assign(SlotsThatFit(role.slot, parts), role.slot);
  }
  next_part_.assign(parts.end() - parts.begin(), 0);
  std::size_t most = row_.size();
  if (depth == pack_depth_) {
    packed_of_ = row_.size();
    most = std::min<std::size_t>(most, request_->resource(0).count.min + 1);
  }
  for (const int slot : std::span(row_).first(most)) {
    if (PackSlot(slot, parts, boards_[depth])) continue;
    // There are units for it, but not in whole vertices. Then the flexible
    // traverser of Fluxion gives no slot at all.
    if (request_->flexible) boards_[depth].Clear();
    return;
  }
}

}  // namespace fluxnetes::matcher
