#include <algorithm>
#include <cstdlib>

#include "tests/matcher/plain_matcher.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t PlainMatcher::Score(VertexIndex v) const {
  if (policy_ != "variation") return 2 + factors_ + graph_.id(v);
  const Properties* properties = graph_.PropertiesOf(v);
  if (properties == nullptr || !properties->contains("perf_class")) {
    return 10'000;
  }
  return 1 + std::stoll(properties->at("perf_class"));
}

bool PlainMatcher::Pruned(VertexIndex v, const Level& level,
                          bool exclusive) const {
  if (attempt_.status && !up_.at(v)) return true;
  if (Left(v) == 0) return true;
  for (const int r : level) {
    const JobResource& resource = spec_->resources[r];
    if (TypeOf(r) == graph_.type(v)) {
      if (exclusive && resource.exclusive == false) return true;
      if (exclusive || resource.exclusive == true) {
        const bool held = std::any_of(
            allocations_.begin(), allocations_.end(),
            [&](const auto& allocation) { return allocation.second == v; });
        if ((attempt_.now && held) || Sharers(v) > 0) return true;
      }
      if (!FilterHas(v, Needs(With(r)))) return true;
    } else if (TypeOf(r) == types::kSlot && !FilterHas(v, Needs(With(r)))) {
      return true;
    }
  }
  return false;
}

std::optional<PlainMatcher::Visited> PlainMatcher::Visit(EdgeIndex way,
                                                         VertexIndex v,
                                                         const Level& level,
                                                         bool pristine,
                                                         bool exclusive) {
  int resource = -1;
  int slot = -1;
  int hits = 0;
  for (const int r : level) {
    if (TypeOf(r) == graph_.type(v)) {
      if (spec_->resources[r].exclusive == true) exclusive = true;
      resource = r;
      ++hits;
    } else if (TypeOf(r) == types::kSlot) {
      slot = r;
      ++hits;
    }
  }
  if (resource >= 0) {
    int inner = 0;
    for (const int r : With(resource)) {
      if (TypeOf(r) != types::kSlot) continue;
      slot = r;
      ++inner;
    }
    if (inner > 1 || (inner > 0 && hits > 1)) return std::nullopt;
  }
  if (hits > 1) return std::nullopt;
  bool packs = slot >= 0;
  if (packs) {
    for (const int r : With(slot)) {
      packs = packs && graph_.HasChildOfType(v, TypeOf(r));
    }
  }
  if (resource < 0 && !packs && !pristine) return std::nullopt;
  if (Pruned(v, level, exclusive)) return std::nullopt;
  visited_.insert(v);

  Visited visited;
  const bool factor = node_centric_ && graph_.type(v) == types::kNode;
  const std::int64_t weight = factor
                                  ? (graph_.id(v) + 2) * 10'000 +
                                        std::abs(graph_.uniq_id(v) % 10'000 - 1)
                                  : 0;
  factors_ += weight;
  if (packs) {
    PackSlots(v, slot, visited.board);
  } else if (resource >= 0) {
    Explore(v, With(resource), 1, false, exclusive, visited.board);
  } else {
    Explore(v, level, 1, true, exclusive, visited.board);
  }
  factors_ -= weight;
  if (resource >= 0) {
    for (const int r : With(resource)) {
      if (!Choose(visited.board, r, false)) return std::nullopt;
    }
  }
  const bool decided =
      std::any_of(visited.board.begin(), visited.board.end(),
                  [](const auto& entry) { return entry.second.chosen > 0; });
  if (decided) {
    Mark(visited.board);
    visited.board.clear();
  }
  const std::int64_t left = Left(v);
  visited.self = {Score(v), left, {{way, left, exclusive}}};
  return visited;
}

bool PlainMatcher::ExploreEdge(EdgeIndex e, const Level& level, bool pristine,
                               bool exclusive, Board& board) {
  const VertexIndex child = graph_.target(e);
  if (visited_.contains(child)) return false;
  const auto visited = Visit(e, child, level, pristine, exclusive);
  if (!visited) return false;
  for (const auto& [type, groups] : visited->board) {
    auto& list = board[type].list;
    list.insert(list.end(), groups.list.begin(), groups.list.end());
  }
  board[graph_.type(child)].list.push_back(visited->self);
  return true;
}

void PlainMatcher::Explore(VertexIndex v, const Level& level,
                           std::uint64_t multiplier, bool pristine,
                           bool exclusive, Board& board) {
  std::vector<EdgeIndex> edges;
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    edges.push_back(e);
  }
  if (!first_) {
    for (const EdgeIndex e : edges) {
      ExploreEdge(e, level, pristine, exclusive, board);
    }
    return;
  }
  const auto key = [&](EdgeIndex e) {
    const auto weight = weights_.find(e);
    return std::pair(weight == weights_.end() ? kNever : weight->second,
                     graph_.uniq_id(graph_.target(e)));
  };
  std::sort(edges.begin(), edges.end(),
            [&](EdgeIndex a, EdgeIndex b) { return key(a) > key(b); });
  std::map<TypeId, std::uint64_t> accumulated;
  std::map<TypeId, std::uint64_t> shares;
  const auto satisfied = [&](TypeId type) {
    return shares[type] >= multiplier;
  };
  for (const EdgeIndex e : edges) {
    bool all = true;
    bool skip = false;
    for (const int r : level) {
      all = all && satisfied(TypeOf(r));
      skip = skip || (TypeOf(r) == graph_.type(graph_.target(e)) &&
                      satisfied(TypeOf(r)));
    }
    if (all) return;
    if (skip) continue;
    std::map<TypeId, std::int64_t> before;
    for (const int r : level) before[TypeOf(r)] = board[TypeOf(r)].Count();
    if (!ExploreEdge(e, level, pristine, exclusive, board)) continue;
    for (const int r : level) {
      const TypeId type = TypeOf(r);
      accumulated[type] += board[type].Count() - before[type];
      if (accumulated[type] < spec_->resources[r].count.Most()) continue;
      ++shares[type];
      accumulated[type] = 0;
    }
  }
}

void PlainMatcher::PackSlots(VertexIndex v, int slot, Board& board) {
  Board parts;
  Explore(v, With(slot), spec_->resources[slot].count.Most(), false, true,
          parts);
  for (auto& [type, groups] : parts) {
    Sort(groups.list,
         policy_ == "variation" || policy_ == "locality" || descending_);
  }
  std::map<int, std::size_t> next;
  while (true) {
    Group made{1, 1, {}};
    for (const int r : With(slot)) {
      const Groups& from = parts[TypeOf(r)];
      const auto each = static_cast<std::int64_t>(
          spec_->resources[r].count.Take(from.Count()));
      std::int64_t units = 0;
      while (units < each && next[r] < from.list.size()) {
        const Group& part = from.list[next[r]++];
        units += part.count;
        made.score += part.score;
        made.edges.push_back(part.edges.front());
      }
      if (each == 0 || units < each) return;
    }
    if (made.edges.empty()) return;
    board[types::kSlot].list.push_back(made);
  }
}

void PlainMatcher::Sort(std::vector<Group>& list, bool descending) const {
  std::sort(list.begin(), list.end(), [&](const Group& a, const Group& b) {
    return descending ? a.score > b.score : a.score < b.score;
  });
}

bool PlainMatcher::Choose(Board& board, int resource, bool top) {
  const auto found = board.find(TypeOf(resource));
  if (found == board.end()) return false;
  Groups& groups = found->second;
  const std::uint64_t take =
      spec_->resources[resource].count.Take(groups.Count());
  if (take == 0) return false;
  if (top && policy_ == "locality") {
    std::set<std::int64_t> scores;
    for (const Group& group : groups.list) scores.insert(group.score);
    const auto start = [&](std::int64_t score) {
      while (scores.contains(score - 1)) --score;
      return score;
    };
    std::sort(groups.list.begin(), groups.list.end(),
              [&](const Group& a, const Group& b) {
                return start(a.score) > start(b.score);
              });
  } else {
    Sort(groups.list, descending_);
  }
  std::uint64_t taken = 0;
  groups.chosen = 0;
  while (taken < take) taken += groups.list[groups.chosen++].count;
  return true;
}

void PlainMatcher::Mark(const Board& board) {
  for (const auto& [type, groups] : board) {
    for (std::size_t i = 0; i < groups.chosen; ++i) {
      for (const Choice& choice : groups.list[i].edges) {
        marks_[choice.edge] = choice;
      }
    }
  }
}

bool PlainMatcher::Select() {
  marks_.clear();
  visited_.clear();
  factors_ = 0;
  const VertexIndex root = graph_.root();
  auto visited = Visit(kNoEdge, root, Top(), true, false);
  if (!visited) return false;
  std::int64_t units = 1;
  bool exclusive = false;
  for (const int r : Top()) {
    if (TypeOf(r) != graph_.type(root)) continue;
    units = static_cast<std::int64_t>(
        spec_->resources[r].count.Take(visited->self.count));
    exclusive = spec_->resources[r].exclusive == true;
  }
  Board& board = visited->board;
  Group self = visited->self;
  self.edges = {{kNoEdge, units, exclusive}};
  board[graph_.type(root)].list.push_back(self);
  for (const int r : Top()) {
    if (!Choose(board, r, true)) return false;
  }
  Mark(board);
  std::vector<EdgeIndex> chosen;
  for (const auto& [type, groups] : board) {
    for (std::size_t i = 0; i < groups.chosen; ++i) {
      for (const Choice& choice : groups.list[i].edges) {
        chosen.push_back(choice.edge);
      }
    }
  }
  for (EdgeIndex e : chosen) {
    while (e != kNoEdge) {
      const VertexIndex v = graph_.source(e);
      e = graph_.FirstIn(v);
      if (e == kNoEdge || marks_.contains(e)) break;
      const auto found = board.find(graph_.type(v));
      if (found != board.end() && found->second.chosen == 0) {
        marks_[e] = {e, graph_.units(v), false};
      }
    }
  }
  if (!marks_.contains(kNoEdge)) marks_[kNoEdge] = {kNoEdge, units, exclusive};
  return true;
}

}  // namespace fluxnetes::matcher
