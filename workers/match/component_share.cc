#include "workers/match/component_share.h"

#include <algorithm>
#include <map>

namespace fluxnetes::workers {

Share ShareOf(std::int64_t self, const std::vector<std::int64_t>& replicas,
              const std::vector<std::int64_t>& owners) {
  Share share;
  std::map<std::int64_t, int> owned;
  for (const std::int64_t replica : replicas) owned[replica] = 0;
  if (!owned.contains(self)) return share;
  for (const std::int64_t owner : owners) {
    if (owned.contains(owner)) ++owned[owner];
  }
  const auto least = [&] {  // the first of those that own the fewest
    return std::min_element(
        owned.begin(), owned.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
  };
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] != kFree) continue;
    const auto next = least();
    ++next->second;
    if (next->first == self) share.take.push_back(i);
  }
  if (owned[self] - least()->second >= 2) {
    for (std::size_t i = owners.size(); i-- > 0;) {
      if (owners[i] != self) continue;
      share.leave.push_back(i);
      break;
    }
  }
  return share;
}

}  // namespace fluxnetes::workers
