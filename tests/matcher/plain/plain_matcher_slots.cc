#include <algorithm>
#include <limits>

#include "tests/matcher/plain/plain_jobspec.h"
#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {

// Looks for the parts of slots among the children. Then each slot takes the
// next whole groups of every part.
void PlainMatcher::PackSlots(VertexIndex v, const Level& slots, Board& board) {
  Board parts;
  Explore(v, Parts(slots),
          PlainTake(spec_->resources[slots.back()].count, Count::kNoMax), false,
          true, parts);
  for (auto& [type, groups] : parts) {
    SortByScore(groups.list,
                policy_.variation || policy_.locality || policy_.descending);
  }
  std::map<TypeId, std::size_t> next;
  for (const int slot : SlotsToTry(slots, parts)) {
    Group made{1, 1, {}};
    for (const int r : with_[slot]) {
      const Groups& from = parts[types_[r]];
      const auto each = static_cast<std::int64_t>(
          PlainTake(spec_->resources[r].count, from.Count()));
      std::int64_t units = 0;
      std::size_t& at = next[types_[r]];
      while (units < each && at < from.list.size()) {
        const Group& part = from.list[at++];
        units += part.count;
        made.score += part.score;
        made.edges.push_back(part.edges.front());
      }
      if (each != 0 && units >= each) continue;
      // Units without vertices for them spoil all slots of a flexible match.
      if (options_.flexible) board.erase(types::kSlot);
      return;
    }
    if (made.edges.empty()) return;
    board[types::kSlot].list.push_back(made);
  }
}

// A slot of one shape is made as often as there are parts. The flexible
// traverser counts units before it takes groups, and makes no more slots than
// are requested.
PlainMatcher::Level PlainMatcher::SlotsToTry(const Level& slots,
                                             const Board& parts) const {
  Counts left;
  for (const auto& [type, groups] : parts) left[type] = groups.Count();
  if (slots.size() > 1) {
    Best known;
    return BestRow(slots, left, known);
  }
  const int slot = slots.front();
  std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  for (const int r : with_[slot]) {
    const std::uint64_t units =
        left.contains(types_[r]) ? left.at(types_[r]) : 0;
    const std::uint64_t each = PlainTake(spec_->resources[r].count, units);
    most = std::min(most, each == 0 ? 0 : units / each);
  }
  if (options_.flexible) {
    most =
        std::min(most, PlainTake(spec_->resources[slot].count, Count::kNoMax));
  }
  if (with_[slot].empty()) most = 0;
  return Level(most, slot);
}

// Returns the longest row of alternatives that the units give; of equally long
// rows, the one with the earlier alternative first.
PlainMatcher::Level PlainMatcher::BestRow(const Level& slots,
                                          const Counts& left,
                                          Best& known) const {
  if (known.contains(left)) return known[left];
  Level best;
  for (const int slot : slots) {
    Counts rest = left;
    bool fits = !with_[slot].empty();
    for (const int r : with_[slot]) {
      std::int64_t& units = rest[types_[r]];
      const auto taken = static_cast<std::int64_t>(
          PlainTake(spec_->resources[r].count, units));
      units -= taken;
      fits = fits && taken > 0;
    }
    if (!fits) continue;
    Level row = {slot};
    for (const int next : BestRow(slots, rest, known)) row.push_back(next);
    if (row.size() > best.size()) best = row;
  }
  return known[left] = best;
}

}  // namespace fluxnetes::matcher
