// 3: groups hold no more of a pool of the cluster than there is.
#include <algorithm>
#include <charconv>

#include "tests/invariants/world.h"

namespace fluxnetes::testing {
namespace {

constexpr std::string_view kLabel = "fluxnetes.pool/";

// What the labels of the pod say.
std::map<std::string, std::int64_t> AskedBy(const cluster::Pod& pod) {
  std::map<std::string, std::int64_t> asked;
  for (const auto& [key, value] : pod.labels) {
    if (!key.starts_with(kLabel)) continue;
    std::from_chars(value.data(), value.data() + value.size(),
                    asked[key.substr(kLabel.size())]);
  }
  return asked;
}

}  // namespace

// By the pods themselves: those with a node, and those whose node is recorded.
void World::CountPools() {
  if (before != nullptr) pools_by_others = before->pools_by_others;
  for (const auto& [uid, pod] : pods) {
    const auto member = members.find(uid);
    if (member != members.end() && scene.GivenByOthers(uid))
      pools_by_others.insert(member->second.group);
  }
  std::set<Id> counted = pools_by_others;
  for (const auto& [uid, pod] : pods) {
    const auto member = members.find(uid);
    if (member == members.end() || !Lives(*pod)) continue;
    if (pod->node_name.empty() && !places.contains(uid)) continue;
    const auto group = groups.find(member->second.group);
    if (group == groups.end() || group->second.extends != 0) continue;
    if (!counted.insert(group->first).second) continue;
    for (const auto& [pool, amount] : AskedBy(*pod)) pool_use[pool] += amount;
  }
}

void World::CheckPools() {
  for (const auto& [pool, used] : pool_use) {
    const std::int64_t total = AmountOf(pool_totals, pool);
    std::int64_t allowed = 0;
    if (before != nullptr) {
      const std::int64_t was = AmountOf(before->pool_totals, pool);
      allowed =
          std::max<std::int64_t>(0, AmountOf(before->pool_use, pool) - was) +
          std::max<std::int64_t>(0, was - total);
    }
    if (used - total > allowed)
      Say(3, "pool {} has {}, but groups hold {}", pool, total, used);
  }
}

}  // namespace fluxnetes::testing
