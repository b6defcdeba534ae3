#include "matcher/nodes/fit_limits.h"

#include <algorithm>
#include <bit>

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMostEntries = 1'024;  // per view
constexpr std::size_t kMostChanges = 4'096;

}  // namespace

bool FitLimits::Entry::Reaches(int tasks, const NodeSet* eligible,
                               const NodeBits* allowed) const {
  for (std::size_t word = 0; word < room.words(); ++word) {
    std::uint64_t left = room.WordAt(word);
    if (allowed != nullptr) left &= allowed->WordAt(word);
    for (; left != 0; left &= left - 1) {
      const auto node =
          static_cast<NodeIndex>(word * 64 + std::countr_zero(left));
      if (eligible != nullptr && !eligible->Contains(node)) continue;
      if (most[node] == kMany) return true;
      tasks -= most[node];
      if (tasks <= 0) return true;
    }
  }
  return tasks <= 0;
}

FitLimits::Entry& FitLimits::Of(View view, const std::vector<Need>& needs) {
  Limits& limits = limits_[static_cast<int>(view)];
  const Columns& columns = columns_[static_cast<int>(view)];
  auto found = limits.entries.find(needs);
  if (found == limits.entries.end()) {
    if (limits.entries.size() == kMostEntries) limits.entries.clear();
    found = limits.entries.try_emplace(needs).first;
  }
  Entry& entry = found->second;
  const std::uint64_t changes = limits.forgotten + limits.changes.size();
  const bool made = !entry.most.empty() && entry.seen >= limits.forgotten;
  if (made) {
    for (std::uint64_t i = entry.seen; i < changes; ++i)
      Count(columns, needs, limits.changes[i - limits.forgotten], entry);
  } else {
    entry.most.resize(orders_.size());
    for (NodeIndex node = 0; node < orders_.size(); ++node)
      Count(columns, needs, node, entry);
  }
  entry.seen = changes;
  return entry;
}

void FitLimits::Count(const Columns& columns, const std::vector<Need>& needs,
                      NodeIndex node, Entry& entry) {
  const auto at = static_cast<std::size_t>(node);
  if (at >= entry.most.size()) entry.most.resize(at + 1);
  std::int64_t most = kMany;
  for (const Need& need : needs) {
    const std::int64_t free = columns[need.resource][node];
    if (free < need.amount) {
      most = 0;
    } else if (!need.once) {
      most = std::min(most, free / need.amount);
    }
    if (most == 0) break;
  }
  if ((entry.most[at] > 0) != (most > 0))
    entry.room.Set(node, most > 0, orders_);
  entry.most[at] = static_cast<std::uint8_t>(most);
}

void FitLimits::Changed(View view, NodeIndex node) {
  Limits& limits = limits_[static_cast<int>(view)];
  if (limits.entries.empty()) return;
  // Entries that have not seen the dropped changes will look at all nodes.
  if (limits.changes.size() > kMostChanges) {
    limits.forgotten += limits.changes.size();
    limits.changes.clear();
  }
  limits.changes.push_back(node);
}

void FitLimits::Clear() {
  for (Limits& limits : limits_) limits = {};
}

}  // namespace fluxnetes::matcher
