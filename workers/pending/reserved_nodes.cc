#include "workers/pending/reserved_nodes.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::workers {

std::vector<matcher::NodeIndex> EachOnce(
    std::vector<matcher::NodeIndex> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

ReservedNodes ReservedFrom(matcher::Placement placement) {
  std::vector<matcher::NodeIndex> nodes = EachOnce(placement.nodes);
  return {placement.start, std::move(nodes), std::move(placement.nodes), false,
          std::move(placement.parts)};
}

matcher::RoomChange RoomOf(const ReservedNodes& reserved,
                           const matcher::Gang& gang) {
  matcher::RoomChange room{reserved.nodes};
  if (!reserved.start) return room;
  room.from = *reserved.start;
  room.end = matcher::EndOf(room.from, gang.duration);
  std::size_t resources = 0;
  for (const auto& task : gang.groups)
    resources = std::max(resources, task.amounts.size());
  // Whole nodes are more than the amounts.
  if (reserved.places.empty() || gang.whole_nodes) return room;
  room.amounts.resize(room.nodes.size() * resources);
  auto place = reserved.places.begin();
  for (const auto& task : gang.groups) {
    for (int i = 0; i < task.count; ++i) {
      const auto node = std::ranges::lower_bound(room.nodes, *place++);
      auto sum =
          room.amounts.begin() +
          (node - room.nodes.begin()) * static_cast<std::ptrdiff_t>(resources);
      for (const std::int64_t amount : task.amounts) *sum++ += amount;
    }
  }
  return room;
}

}  // namespace fluxnetes::workers
