#include "workers/graph/eviction_ranks.h"

#include <algorithm>

namespace fluxnetes::workers {
namespace {

template <typename Sets, typename Key>
void Leave(Sets& sets, const Key& key, GroupId group) {
  const auto set = sets.find(key);
  if (set == sets.end()) return;
  set->second.erase(group);
  if (set->second.empty()) sets.erase(set);
}

}  // namespace

void EvictionRanks::Add(const Held& held) {
  ranks_[held.priority].insert(held.group);
  came_[held.priority] = ++moves_;
  if (held.evicted_for != 0) evicted_for_[held.evicted_for].insert(held.group);
}

void EvictionRanks::NoteLess(const Held& held, bool expected) {
  if (!expected) NoteChange();
  went_[held.priority] = ++moves_;
}

void EvictionRanks::Remove(const Held& held) {
  Leave(ranks_, held.priority, held.group);
  Leave(evicted_for_, held.evicted_for, held.group);
  spared_.erase(held.group);
}

void EvictionRanks::NoteEvicted(GroupId group, GroupId preemptor) {
  evicted_for_[preemptor].insert(group);
}

bool EvictionRanks::AnyBelow(std::int64_t priority) const {
  return !ranks_.empty() && ranks_.begin()->first < priority;
}

std::vector<GroupId> EvictionRanks::Below(std::int64_t priority) const {
  std::vector<GroupId> below;
  for (const auto& [rank, groups] : ranks_) {
    if (rank >= priority) break;
    below.insert(below.end(), groups.begin(), groups.end());
  }
  return below;
}

std::set<GroupId> EvictionRanks::EvictedFor(GroupId preemptor) const {
  const auto found = evicted_for_.find(preemptor);
  return found == evicted_for_.end() ? std::set<GroupId>{} : found->second;
}

std::uint64_t EvictionRanks::Version(std::int32_t priority) const {
  std::uint64_t last = changed_;
  for (const auto& [rank, move] : came_)
    if (rank < priority) last = std::max(last, move);
  for (const auto& [rank, move] : went_)
    if (rank >= priority) last = std::max(last, move);
  return last;
}

}  // namespace fluxnetes::workers
