#include "matcher/rules/domain_counts.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::matcher {

std::size_t DomainCounts::PlaceOf(DomainId domain) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = (static_cast<std::uint32_t>(domain) * 0x9E3779B1U) & mask;
  while (entries_[at].domain >= 0 && entries_[at].domain != domain) {
    at = (at + 1) & mask;
  }
  return at;
}

std::int32_t DomainCounts::At(DomainId domain) const {
  return entries_.empty() ? 0 : entries_[PlaceOf(domain)].count;
}

std::int32_t DomainCounts::Add(DomainId domain, std::int32_t tasks) {
  if (2 * (used_ + 1) > entries_.size()) Grow();
  Entry& entry = entries_[PlaceOf(domain)];
  if (entry.domain < 0) {
    entry.domain = domain;
    ++used_;
  }
  return entry.count += tasks;
}

void DomainCounts::Grow() {
  std::size_t live = 0;
  for (const Entry& entry : entries_) live += entry.count != 0 ? 1 : 0;
  std::size_t size = 8;
  while (size < 4 * (live + 1)) size *= 2;
  const std::vector<Entry> before = std::exchange(entries_, {});
  entries_.resize(size);
  used_ = 0;
  for (const Entry& entry : before) {
    if (entry.count == 0) continue;
    entries_[PlaceOf(entry.domain)] = entry;
    ++used_;
  }
}

bool DomainSet::HasLarge(DomainId domain) const {
  return std::find(large_.begin(), large_.end(), domain) != large_.end();
}

void DomainSet::Set(KeyId key, DomainId domain, bool on, NodeSpace space) {
  if (key == kEachNode) {
    bits_.Set(domain, on, space.orders);
    return;
  }
  NodeMask& mask = space.labels.Mask(key, domain);
  if (on && mask.large()) {
    large_.push_back(domain);
  } else if (on || !HasLarge(domain)) {
    bits_.Set(mask, on, space.orders);
  } else {
    std::erase(large_, domain);
  }
}

void DomainSet::SetNode(NodeIndex node, DomainId domain, bool on,
                        NodeOrders& orders) {
  if (on == bits_.Contains(node) || HasLarge(domain)) return;
  bits_.Set(node, on, orders);
}

void DomainSet::DropNode(NodeIndex node, NodeOrders& orders) {
  if (bits_.Contains(node)) bits_.Set(node, false, orders);
}

bool DomainSet::Contains(NodeIndex node, DomainId domain) const {
  return bits_.Contains(node) || HasLarge(domain);
}

void DomainSet::Read(bool by_id, KeyId key, NodeSpace space,
                     std::vector<const std::uint64_t*>& words) {
  const std::uint64_t* bits = bits_.At(by_id, space.orders);
  if (bits != nullptr) words.push_back(bits);
  for (const DomainId domain : large_) {
    words.push_back(space.labels.Mask(key, domain).Dense(by_id, space.orders));
  }
}

void Presence::Add(KeyId key, DomainId domain, std::int32_t tasks,
                   NodeSpace space) {
  const std::int32_t after = counts_.Add(domain, tasks);
  total_ += tasks;
  if (tasks > 0) ++arrivals_;
  const bool some = after != 0;
  const bool before = after != tasks;
  if (some == before) return;
  ++changes_;
  nodes_.Set(key, domain, some, space);
}

std::int32_t Skew::Limit() const {
  const bool none = bound_.domains > some_ ||
                    bound_.domains < bound_.min_domains || with_.empty();
  return (none ? 0 : with_.begin()->first) + bound_.max_skew - bound_.self;
}

void Skew::SetBound(KeyId key, const Bound& bound, NodeSpace space) {
  // A domain that is removed may have been the one with the fewest tasks.
  // Without it the other domains may take more tasks together, even if each
  // could take one before.
  if (bound.domains != bound_.domains) ++lifts_;
  bound_ = bound;
  MoveLimit(key, space);
}

void Skew::Add(KeyId key, DomainId domain, std::int32_t tasks,
               NodeSpace space) {
  const std::int32_t after = counts_.Add(domain, tasks);
  const std::int32_t before = after - tasks;
  if (tasks > 0) ++arrivals_;
  if (before != 0) {
    --some_;
    const auto found = with_.find(before);
    if (--found->second == 0) with_.erase(found);
  }
  if (after != 0) {
    ++some_;
    ++with_[after];
  }
  const bool over = after > limit_;
  if (over != (before > limit_)) Mark(key, domain, over, space);
  MoveLimit(key, space);
}

void Skew::Mark(KeyId key, DomainId domain, bool over, NodeSpace space) {
  ++changes_;
  if (!over) ++lifts_;
  over_.Set(key, domain, over, space);
}

void Skew::MoveLimit(KeyId key, NodeSpace space) {
  const std::int32_t before = std::exchange(limit_, Limit());
  if (before == limit_) return;
  for (const auto& [domain, count] : counts_.entries()) {
    if (domain < 0 || (count > limit_) == (count > before)) continue;
    Mark(key, domain, count > limit_, space);
  }
}

}  // namespace fluxnetes::matcher
