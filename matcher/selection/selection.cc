#include "matcher/selection/selection.h"

#include <algorithm>

namespace fluxnetes::matcher {

void Selection::Begin() {
  ++turn_;
  factors_ = 0;
  choices_.clear();
  listed_ = false;
  marks_.resize(graph_.edges());
  stands_.resize(graph_.size());
  visited_.resize(graph_.size());
  root_mark_ = Mark{};
}

bool Selection::Run(const JobRequest& request, const Times& times) {
  if (graph_.root() == kNoVertex) return false;
  std::optional<bool> found;
  if (!policy_.stop_on_match) {
    Begin();
    request_ = &request;
    times_ = times;
    found = RunQuick();
  }
  return found ? *found : RunPlain(request, times);
}

bool Selection::RunPlain(const JobRequest& request, const Times& times) {
  Begin();
  request_ = &request;
  times_ = times;
  if (graph_.root() == kNoVertex) return false;
  memo_ = MemoForRun();
  marked_.clear();
  listed_ = policy_.stop_on_match || memo_ != nullptr;
  const bool found = Walk();
  if (found && memo_ != nullptr) VisitRecalled();
  if (found && listed_) std::sort(marked_.begin(), marked_.end());
  memo_ = nullptr;
  return found;
}

bool Selection::Walk() {
  Candidate root;
  if (!Visit(kNoEdge, graph_.root(), request_->top(), true, false, 0, root)) {
    return false;
  }
  top_.Clear();
  if (!boards_[0].Chosen()) std::swap(top_, boards_[0]);
  return Finish(root);
}

const std::string& Selection::LabelOf(VertexIndex v,
                                      const JobRequest& request) const {
  static const std::string kNone;
  return stands_[v].turn == turn_ ? request.resource(stands_[v].resource).label
                                  : kNone;
}

bool Selection::HasChild(VertexIndex v, TypeId type) const {
  constexpr int kMany = 16;
  int children = 0;
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    if (graph_.type(graph_.target(e)) == type) return true;
    if (++children < kMany) continue;
    const auto key =
        static_cast<std::uint64_t>(v) << 32 | static_cast<std::uint32_t>(type);
    const auto [known, is_new] = childless_.try_emplace(key, false);
    if (is_new) known->second = !graph_.HasChildOfType(v, type);
    return !known->second;
  }
  return false;
}

bool Selection::HasParts(VertexIndex v, int slot) const {
  const Level with = request_->with[slot];
  for (int r = with.first; r < with.last; ++r) {
    if (!HasChild(v, request_->types[r])) return false;
  }
  return true;
}

Selection::Role Selection::RoleOf(VertexIndex v, Level level) const {
  Role role;
  const auto look = [&](Level at, bool slots_only) {
    for (int i = at.first; i < at.last; ++i) {
      const int r = request_->lists[i];
      if (request_->IsSlot(r)) {
        const bool other = role.slot >= 0 && !request_->flexible;
        role.ambiguous =
            role.ambiguous || other || (!slots_only && role.resource >= 0);
        role.slot = r;
        role.slots = at;
        role.packs_slot = role.packs_slot || HasParts(v, r);
      } else if (!slots_only && request_->types[r] == graph_.type(v)) {
        role.ambiguous = role.ambiguous || role.resource >= 0 || role.slot >= 0;
        role.resource = r;
      }
    }
  };
  look(level, false);
  if (role.resource >= 0) {
    const bool slot_beside = role.slot >= 0;
    look(request_->with[role.resource], true);
    role.ambiguous = role.ambiguous || slot_beside;
  }
  return role;
}

bool Selection::AsksExclusive(VertexIndex v, Level level) const {
  for (int i = level.first; i < level.last; ++i) {
    const int r = request_->lists[i];
    if (request_->types[r] == graph_.type(v) &&
        request_->resource(r).exclusive == true) {
      return true;
    }
  }
  return false;
}

bool Selection::Visit(EdgeIndex way, VertexIndex v, Level level, bool pristine,
                      bool exclusive, int depth, Candidate& candidate) {
  if (depth > kMaxGraphDepth) return false;
  ++visits_;
  exclusive = exclusive || AsksExclusive(v, level);
  const Role role = RoleOf(v, level);
  if (role.ambiguous) return false;
  // A flexible match takes a vertex for what has slots below it only if the
  // parts of one are its children.
  const bool passes =
      !role.packs_slot &&
      (role.resource < 0 || (request_->flexible && role.slot >= 0));
  if (passes && !pristine) return false;
  if (Pruned(v, level, exclusive)) return false;
  std::int64_t factor = 0;
  if (!Factor(v, factor)) return false;

  visited_[v] = turn_;
  Scoreboard& board = boards_[depth];
  board.Clear();
  factors_ += factor;
  std::optional<bool> suffices;  // what is below, without a look at each
  if (role.packs_slot) {
    PackSlots(v, role, depth);
  } else if (passes) {
    Explore(v, level, 1, pristine, exclusive, depth, board);
  } else {
    const Level with = request_->with[role.resource];
    if (exclusive && TakenWhole(v)) suffices = SufficesWhole(v, with);
    if (!suffices) Explore(v, with, 1, false, exclusive, depth, board);
  }
  factors_ -= factor;

  if (suffices == false) return false;
  if (role.resource >= 0) {
    const Level with = request_->with[role.resource];
    for (int r = with.first; !suffices && r < with.last; ++r) {
      if (!ChooseBest(board, r, /*top=*/false)) return false;
    }
    stands_[v] = {turn_, role.resource};
  }
  if (board.Chosen() && !TakenWhole(v)) MarkChosen(board, /*climb=*/false);
  const std::int64_t units = bookings_.plans.LeastDuring(
      v, graph_.units(v), times_.at, times_.duration);
  candidate = {ScoreOf(v), units, static_cast<std::int32_t>(choices_.size()),
               1};
  choices_.push_back({way, units, exclusive});
  ++finds_;
  return true;
}

}  // namespace fluxnetes::matcher
