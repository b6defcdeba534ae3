#include "matcher/nodes/start_bounds.h"

#include <algorithm>
#include <bit>

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMostBounds = 256;
constexpr std::size_t kFewChanges = 64;  // changes

Time Shorter(Time duration) {
  if (duration == kForever) return duration;
  return static_cast<Time>(
      std::bit_floor(static_cast<std::uint64_t>(duration)));
}

}  // namespace

const std::vector<Time>& StartBounds::Of(const std::vector<Need>& needs,
                                         Time duration, int nodes,
                                         const FirstFit& first_fit) {
  const std::pair key(Shorter(duration), needs);
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() == kMostBounds) entries_.clear();
    found = entries_.try_emplace(key).first;
  }
  Entry& entry = found->second;
  const auto all = static_cast<std::size_t>(nodes);
  if (entry.bounds.size() != all) {
    entry.bounds.resize(all);
    for (NodeIndex node = 0; node < nodes; ++node)
      entry.bounds[node] = first_fit(node, key.first);
  } else {
    const auto unseen =
        std::ranges::upper_bound(changes_, entry.seen, {}, &Change::number);
    for (auto change = unseen; change != changes_.end(); ++change) {
      if (IsLatest(*change))
        entry.bounds[change->node] = first_fit(change->node, key.first);
    }
  }
  entry.seen = changed_;
  return entry.bounds;
}

void StartBounds::Changed(NodeIndex node) {
  if (entries_.empty()) return;
  const auto at = static_cast<std::size_t>(node);
  if (at >= latest_.size()) latest_.resize(at + 1);
  latest_[at] = ++changed_;
  changes_.push_back({changed_, node});
  if (changes_.size() > 2 * latest_.size() + kFewChanges) {
    std::erase_if(changes_,
                  [&](const Change& change) { return !IsLatest(change); });
  }
}

void StartBounds::Clear() {
  entries_.clear();
  changes_.clear();
}

}  // namespace fluxnetes::matcher
