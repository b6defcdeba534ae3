#include "services/feed/group_index.h"

#include <algorithm>

namespace fluxnetes::services {

void GroupIndex::Tally(const FeedEntry& entry, int by) {
  const CountKey key(entry.namespace_name, entry.queue, entry.state,
                     entry.shown_state);
  const auto at = counts_.try_emplace(key, 0).first;
  at->second += by;
  if (at->second == 0) counts_.erase(at);
}

void GroupIndex::Replace(const FeedEntryPtr& before,
                         const FeedEntryPtr& after) {
  const sql::MutexLock lock(mutex_);
  if (before && !before->over) {
    Tally(*before, -1);
    groups_.erase(before->id);
    for (auto& [order, sorted] : sorted_) sorted.erase(before);
  }
  if (after && !after->over) {
    Tally(*after, 1);
    groups_[after->id] = after;
    for (auto& [order, sorted] : sorted_) sorted.insert(after);
  }
}

void GroupIndex::Clear() {
  const sql::MutexLock lock(mutex_);
  groups_.clear();
  sorted_.clear();
  counts_.clear();
}

GroupIndex::Sorted& GroupIndex::InOrder(const ListOrder& order) {
  const auto known = sorted_.find(order);
  if (known != sorted_.end()) return known->second;
  Sorted sorted(Earlier{order});
  for (const auto& [id, entry] : groups_) sorted.insert(entry);
  return sorted_.emplace(order, std::move(sorted)).first->second;
}

std::vector<FeedEntryPtr> GroupIndex::Page(const GroupQuery& query,
                                           const ListOrder& order,
                                           const FeedEntry* behind,
                                           std::size_t limit) {
  const sql::MutexLock lock(mutex_);
  const Sorted& sorted = InOrder(order);
  std::vector<FeedEntryPtr> page;
  auto next = behind == nullptr ? sorted.begin() : sorted.upper_bound(*behind);
  for (; next != sorted.end() && page.size() < limit; ++next)
    if (query.Selects(**next)) page.push_back(*next);
  return page;
}

GroupIndex::Counts GroupIndex::Count(const GroupQuery& query) {
  const sql::MutexLock lock(mutex_);
  Counts counts;
  if (!query.IsOfCounters()) {
    for (const auto& [id, entry] : groups_)
      if (query.Selects(*entry)) ++counts[{entry->state, entry->shown_state}];
    return counts;
  }
  for (const auto& [key, groups] : counts_) {
    const auto& [namespace_name, queue, state, shown] = key;
    const bool wanted =
        (query.namespace_name.empty() ||
         query.namespace_name == namespace_name) &&
        (query.queue.empty() || query.queue == queue) &&
        (query.states.empty() ||
         std::ranges::find(query.states, state) != query.states.end());
    if (wanted) counts[{state, shown}] += groups;
  }
  return counts;
}

}  // namespace fluxnetes::services
