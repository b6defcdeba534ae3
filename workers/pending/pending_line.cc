#include "workers/pending/pending_line.h"

#include <cassert>
#include <utility>

namespace fluxnetes::workers {

bool Earlier(const WaitingGroup& a, const WaitingGroup& b) {
  if (a.first_in_line == b.first_in_line && a.priority == b.priority &&
      a.standing != b.standing)
    return a.standing < b.standing;
  return EarlierInLine(a, b);
}

bool EarlierInLine(const WaitingGroup& a, const WaitingGroup& b) {
  return std::tuple(!a.first_in_line, -std::int64_t{a.priority}, a.counts_from,
                    a.id) < std::tuple(!b.first_in_line,
                                       -std::int64_t{b.priority}, b.counts_from,
                                       b.id);
}

bool EarlierInLineFirst::operator()(const WaitingGroup* a,
                                    const WaitingGroup* b) const {
  return EarlierInLine(*a, *b);
}

WaitingGroup& PendingLines::Add(PendingGroup group, Place place) {
  Key key{group.queue,
          group.shape,
          group.duration,
          std::move(place.requests),
          std::move(place.beside),
          place.holder,
          std::move(place.counted_claims),
          place.by_payer ? std::optional(place.payer) : std::nullopt};
  auto& line = lines_[key];
  if (line == nullptr) {
    line = std::make_unique<PendingLine>();
    line->queue_name = group.queue;
    line->shape = group.shape;
    line->duration = group.duration;
    line->requests = std::get<RequestCounts>(key);
    line->beside = std::get<std::vector<matcher::NodeIndex>>(key);
    line->holder = place.holder;
    line->counted_claims = std::get<std::vector<std::string>>(key);
    line->payer = std::get<std::optional<PayerId>>(key);
  }
  if (group.extends != 0) extending_[group.extends].insert(group.id);
  const auto [entry, added] = groups_.try_emplace(group.id);
  assert(added);
  WaitingGroup& waiting = entry->second;
  static_cast<WaitingTerms&>(waiting) = group;
  waiting.counts_from = place.counts_from;
  waiting.payer = place.payer;
  waiting.members = std::move(group.members);
  waiting.line = line.get();
  Fronts& fronts = fronts_[line->queue_name];
  if (!line->groups.empty()) fronts.erase(line->Front());
  waiting.place = line->groups.insert(&waiting).first;
  fronts.insert(line->Front());
  return waiting;
}

const WaitingGroup* PendingLines::Find(GroupId group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

WaitingGroup* PendingLines::Find(GroupId group) {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

void PendingLines::Remove(GroupId group) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  PendingLine& line = *found->second.line;
  if (const GroupId base = found->second.extends; base != 0) {
    std::set<GroupId>& extending = extending_.at(base);
    extending.erase(group);
    if (extending.empty()) extending_.erase(base);
  }
  Fronts& fronts = fronts_.at(line.queue_name);
  fronts.erase(line.Front());
  line.groups.erase(found->second.place);
  groups_.erase(found);
  if (!line.groups.empty()) {
    fronts.insert(line.Front());
    return;
  }
  if (line.listed) std::erase(unchecked_, &line);
  lines_.erase(Key{line.queue_name, line.shape, line.duration, line.requests,
                   line.beside, line.holder, line.counted_claims, line.payer});
}

const PendingLines::Fronts& PendingLines::FrontsOf(
    const std::string& queue) const {
  static const Fronts kNobody;
  const auto found = fronts_.find(queue);
  return found == fronts_.end() ? kNobody : found->second;
}

void PendingLines::Uncheck(PendingLine& line) {
  line.checked = false;
  if (!std::exchange(line.listed, true)) unchecked_.push_back(&line);
}

const std::set<GroupId>& PendingLines::Extending(GroupId group) const {
  static const std::set<GroupId> kNone;
  const auto found = extending_.find(group);
  return found == extending_.end() ? kNone : found->second;
}

void PendingLines::AskAll() {
  for (const auto& [key, line] : lines_) line->ask = true;
}

GroupId PendingLines::TakeUnreported() {
  const GroupId group = unreported_.front();
  unreported_.pop_front();
  return group;
}

std::vector<PendingLine*> PendingLines::TakeUnchecked() {
  for (PendingLine* line : unchecked_) line->listed = false;
  return std::exchange(unchecked_, {});
}

const cluster::PoolAmounts& PoolsOf(const PendingLine& line) {
  static const cluster::PoolAmounts kNone;
  if (line.holder != 0) return kNone;
  for (const auto& [request, count] : line.requests)
    if (request->rules.Any()) return request->rules->topology.pools;
  return kNone;
}

}  // namespace fluxnetes::workers
