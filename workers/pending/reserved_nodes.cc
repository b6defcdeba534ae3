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

std::vector<matcher::NodeIndex> WithPools(std::vector<matcher::NodeIndex> nodes,
                                          const matcher::Gang& gang) {
  for (const matcher::PoolNeed& need : gang.pools) nodes.push_back(need.pool);
  return EachOnce(std::move(nodes));
}

ReservedNodes ReservedFrom(matcher::Placement placement,
                           const matcher::Gang& gang) {
  std::vector<matcher::NodeIndex> nodes = WithPools(placement.nodes, gang);
  return {placement.start,
          std::move(nodes),
          std::move(placement.nodes),
          false,
          std::move(placement.parts),
          std::move(placement.devices)};
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
  // Whole nodes are more than the amounts; pools are not among the places.
  if (reserved.places.empty() || gang.whole_nodes || !gang.pools.empty())
    return room;
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
