#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tests/matcher/plain/plain_jobspec.h"
#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {

std::int64_t PlainMatcher::Groups::Count() const {
  std::int64_t count = 0;
  for (const Group& group : list) count += group.count;
  return count;
}

std::int64_t PlainMatcher::Score(VertexIndex v) const {
  if (!policy_.variation) return 2 + factors_ + graph_.id(v);
  const Properties* properties = graph_.PropertiesOf(v);
  if (properties == nullptr || !properties->contains("perf_class")) {
    return 10'000;
  }
  const std::string& text = properties->at("perf_class");
  const bool number = !text.empty() && text.size() < 5 &&
                      text.find_first_not_of("0123456789") == text.npos;
  return 1 + (number ? std::stoll(text) : 9'999);
}

bool PlainMatcher::InUse(VertexIndex v) const {
  const Place& place = places_[v];
  const auto allocated = [&](JobId job) { return !jobs_.at(job).reserved; };
  const auto meets = [&](JobId id) {
    const Job& job = jobs_.at(id);
    return job.start < attempt_.end && attempt_.at < job.end;
  };
  return (attempt_.now &&
          std::any_of(place.holders.begin(), place.holders.end(), allocated)) ||
         std::any_of(place.sharers.begin(), place.sharers.end(), meets);
}

bool PlainMatcher::Pruned(VertexIndex v, const Level& level,
                          bool exclusive) const {
  const TypeId type = graph_.type(v);
  if (attempt_.status && up_[v] == 0) return true;
  if ((type == types::kNode || type == types::kStorageNode) && !Fulfils(v)) {
    return true;
  }
  if (places_[v].plan.Least(attempt_.at, attempt_.end) == 0) return true;
  int last_slot = -1;
  for (const int r : level) {
    const auto asked = spec_->resources[r].exclusive;
    if (types_[r] == type) {
      if (exclusive && asked == false) return true;
      if ((exclusive || asked == true) && InUse(v)) return true;
      if (!FilterHas(v, needs_[r])) return true;
    } else if (types_[r] == types::kSlot) {
      last_slot = r;
      if (!options_.flexible && !FilterHas(v, needs_[r])) return true;
    }
  }
  // Of alternatives, the last one decides.
  return last_slot >= 0 && !FilterHas(v, needs_[last_slot]);
}

bool PlainMatcher::HasChildrenFor(VertexIndex v, int slot) const {
  for (const int r : with_[slot]) {
    bool found = false;
    for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge && !found;
         e = graph_.NextOut(e)) {
      found = graph_.type(graph_.target(e)) == types_[r];
    }
    if (!found) return false;
  }
  return true;
}

// Two resources that the vertex could be are too many, unless they are
// alternatives.
PlainMatcher::Role PlainMatcher::RoleOf(VertexIndex v,
                                        const Level& level) const {
  Role role;
  int resources = 0;
  Level inner;
  for (const int r : level) {
    if (types_[r] == types::kSlot) {
      role.slots.push_back(r);
    } else if (types_[r] == graph_.type(v)) {
      role.resource = r;
      ++resources;
      for (const int c : with_[r]) {
        if (types_[c] == types::kSlot) inner.push_back(c);
      }
    }
  }
  role.confused = resources > 1 || (resources > 0 && !role.slots.empty());
  if (role.slots.empty()) role.slots = inner;
  if (role.slots.size() > 1 && !options_.flexible) role.confused = true;
  for (const int slot : role.slots) {
    role.packs = role.packs || HasChildrenFor(v, slot);
  }
  return role;
}

std::optional<PlainMatcher::Visited> PlainMatcher::Visit(EdgeIndex way,
                                                         VertexIndex v,
                                                         const Level& level,
                                                         bool pristine,
                                                         bool exclusive) {
  for (const int r : level) {
    if (types_[r] == graph_.type(v) && spec_->resources[r].exclusive == true) {
      exclusive = true;
    }
  }
  const Role role = RoleOf(v, level);
  if (role.confused) return std::nullopt;
  // In a flexible match a vertex for what has slots below it counts as one that
  // nobody asked for, unless it has the parts of a slot.
  const bool passes =
      !role.packs &&
      (role.resource < 0 || (options_.flexible && !role.slots.empty()));
  if (passes && !pristine) return std::nullopt;
  if (Pruned(v, level, exclusive)) return std::nullopt;
  visited_[v] = 1;

  Visited visited;
  Board& board = visited.board;
  const bool factor = policy_.node_centric && graph_.type(v) == types::kNode;
  const std::int64_t weight = factor
                                  ? (graph_.id(v) + 2) * 10'000 +
                                        std::abs(graph_.uniq_id(v) % 10'000 - 1)
                                  : 0;
  factors_ += weight;
  if (role.packs) {
    PackSlots(v, role.slots, board);
  } else if (passes) {
    Explore(v, level, 1, true, exclusive, board);
  } else {
    Explore(v, with_[role.resource], 1, false, exclusive, board);
  }
  factors_ -= weight;
  if (role.resource >= 0) {
    for (const int r : with_[role.resource]) {
      if (!Choose(board, r, false)) return std::nullopt;
    }
  }
  const bool decided =
      std::any_of(board.begin(), board.end(),
                  [](const auto& entry) { return entry.second.chosen > 0; });
  if (decided) {
    Mark(board);
    board.clear();
  }
  const std::int64_t left = places_[v].plan.Least(attempt_.at, attempt_.end);
  visited.self = {Score(v), left, {{way, left, exclusive}}};
  return visited;
}

bool PlainMatcher::ExploreEdge(EdgeIndex e, const Level& level, bool pristine,
                               bool exclusive, Board& board) {
  const VertexIndex child = graph_.target(e);
  if (visited_[child] != 0) return false;
  auto visited = Visit(e, child, level, pristine, exclusive);
  if (!visited) return false;
  for (auto& [type, groups] : visited->board) {
    auto& list = board[type].list;
    std::move(groups.list.begin(), groups.list.end(), std::back_inserter(list));
  }
  board[graph_.type(child)].list.push_back(std::move(visited->self));
  return true;
}

void PlainMatcher::Explore(VertexIndex v, const Level& level,
                           std::uint64_t multiplier, bool pristine,
                           bool exclusive, Board& board) {
  std::vector<EdgeIndex> edges;
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    edges.push_back(e);
  }
  if (policy_.first) {
    ExploreUntilEnough(edges, level, multiplier, pristine, exclusive, board);
    return;
  }
  for (const EdgeIndex e : edges) {
    ExploreEdge(e, level, pristine, exclusive, board);
  }
}

// Takes the heaviest first, then the highest uniq id. What one child brings is
// one bundle, for one share.
void PlainMatcher::ExploreUntilEnough(std::vector<EdgeIndex> edges,
                                      const Level& level,
                                      std::uint64_t multiplier, bool pristine,
                                      bool exclusive, Board& board) {
  constexpr std::int64_t kUntouched = std::numeric_limits<std::int64_t>::max();
  const auto key = [&](EdgeIndex e) {
    const auto weight = weights_.find(e);
    return std::pair(weight == weights_.end() ? kUntouched : weight->second,
                     graph_.uniq_id(graph_.target(e)));
  };
  std::sort(edges.begin(), edges.end(),
            [&](EdgeIndex a, EdgeIndex b) { return key(a) > key(b); });
  std::map<int, std::uint64_t> gathered;  // [resource]
  std::map<int, std::uint64_t> shares;
  const auto satisfied = [&](int r) { return shares[r] >= multiplier; };
  for (const EdgeIndex e : edges) {
    bool all = true;
    bool skip = false;
    for (const int r : level) {
      all = all && satisfied(r);
      skip =
          skip || (types_[r] == graph_.type(graph_.target(e)) && satisfied(r));
    }
    if (all) return;
    if (skip) continue;
    std::map<TypeId, std::int64_t> before;
    for (const int r : level) before[types_[r]] = board[types_[r]].Count();
    if (!ExploreEdge(e, level, pristine, exclusive, board)) continue;
    for (const int r : level) {
      gathered[r] += board[types_[r]].Count() - before[types_[r]];
      if (gathered[r] < PlainTake(spec_->resources[r].count, Count::kNoMax)) {
        continue;
      }
      ++shares[r];
      gathered[r] = 0;
    }
  }
}

}  // namespace fluxnetes::matcher
