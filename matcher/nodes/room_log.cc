#include "matcher/nodes/room_log.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::matcher {

void RoomLog::Add(RoomChange change) {
  const std::uint64_t number = end();
  for (std::size_t i = 0; i < change.nodes.size(); ++i)
    by_node_[change.nodes[i]].push_back({number, i});
  if (!change.taken) end_of_made_ = number + 1;
  changes_.push_back(std::move(change));
}

std::span<const RoomLog::Entry> RoomLog::On(NodeIndex node,
                                            std::uint64_t from) const {
  const auto found = by_node_.find(node);
  if (found == by_node_.end()) return {};
  const auto& entries = found->second;
  return {std::ranges::lower_bound(entries, from, {}, &Entry::number),
          entries.end()};
}

void RoomLog::ForgetBefore(std::uint64_t number) {
  while (first_ < number && !changes_.empty()) {
    for (const NodeIndex node : changes_.front().nodes) {
      const auto found = by_node_.find(node);
      if (found == by_node_.end()) continue;
      std::erase_if(found->second,
                    [&](const Entry& entry) { return entry.number < number; });
      if (found->second.empty()) by_node_.erase(found);
    }
    changes_.pop_front();
    ++first_;
  }
}

}  // namespace fluxnetes::matcher
