#include "matcher/node_devices/device_pools.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "matcher/devices/device_nodes.h"

namespace fluxnetes::matcher {
namespace {

bool IsForOneNode(const DeviceSlice& slice) {
  return !slice.nodes.node.empty();
}

bool SaysNoNode(const DeviceNodes& nodes) {
  return nodes.node.empty() && !nodes.all && nodes.terms.empty();
}

bool IsForNode(const DevicePools::Slice& slice, const std::string& node,
               const Labels& labels) {
  if (!SaysNoNode(slice.head.nodes)) {
    return Includes(slice.head.nodes, node, labels);
  }
  return std::ranges::any_of(slice.devices, [&](const auto& device) {
    return device.nodes && Includes(*device.nodes, node, labels);
  });
}

void Decrease(std::map<PoolId, int>& counts, PoolId pool) {
  const auto at = counts.find(pool);
  if (--at->second == 0) counts.erase(at);
}

}  // namespace

SlotId DevicePools::Pool::SlotOf(const std::string& device) {
  const auto [at, added] =
      slot_of.try_emplace(device, static_cast<SlotId>(slots.size()));
  if (added) slots.push_back(device);
  return at->second;
}

PoolId DevicePools::Find(const std::string& driver, const std::string& name) {
  const auto [at, added] = pool_index_.try_emplace(
      {driver, name}, static_cast<PoolId>(pools_.size()));
  if (added) {
    pools_.push_back(std::make_unique<Pool>());
    pools_.back()->driver = driver;
    pools_.back()->name = name;
  }
  return at->second;
}

std::optional<PoolId> DevicePools::Known(const std::string& driver,
                                         const std::string& name) const {
  const auto at = pool_index_.find({driver, name});
  if (at == pool_index_.end()) return std::nullopt;
  return at->second;
}

// The nodes that look at the pool of the slice.
std::set<std::string> DevicePools::Affected(const Slice& slice) const {
  const Pool& pool = at(slice.pool);
  if (!pool.general.empty()) return {""};
  std::set<std::string> nodes;
  for (const auto& [node, slices] : pool.by_node) nodes.insert(node);
  return nodes;
}

std::set<std::string> DevicePools::Drop(const std::string& name) {
  const auto found = slices_.find(name);
  if (found == slices_.end()) return {};
  const Slice& slice = found->second;
  std::set<std::string> affected = Affected(slice);
  Pool& pool = at(slice.pool);
  if (--pool.generations[slice.head.generation] == 0) {
    pool.generations.erase(slice.head.generation);
  }
  pool.counters.erase(name);
  if (IsForOneNode(slice.head)) {
    const std::string& node = slice.head.nodes.node;
    auto& of_node = pool.by_node[node];
    of_node.erase(name);
    if (of_node.empty()) pool.by_node.erase(node);
    Decrease(pools_of_node_[node], slice.pool);
    if (pools_of_node_[node].empty()) pools_of_node_.erase(node);
  } else {
    pool.general.erase(name);
    Decrease(general_pools_, slice.pool);
  }
  for (const Published& each : slice.devices) kinds_.GiveContent(each.content);
  slices_.erase(found);
  return affected;
}

std::set<std::string> DevicePools::SetSlice(DeviceSlice slice) {
  ++version_;
  const std::string name = slice.name;
  // What is equal in both is given back after it was taken again.
  Slice added;
  added.pool = Find(slice.driver, slice.pool);
  Pool& pool = at(added.pool);
  for (const auto& device : slice.devices) {
    added.devices.push_back({pool.SlotOf(device.name),
                             kinds_.TakeContent(slice.driver, device),
                             device.nodes});
  }
  slice.devices = {};
  added.head = std::move(slice);
  std::set<std::string> affected = Drop(name);
  const Slice* set =
      &slices_.insert_or_assign(name, std::move(added)).first->second;
  ++pool.generations[set->head.generation];
  if (!set->head.counters.empty()) pool.counters.emplace(name, set);
  if (IsForOneNode(set->head)) {
    pool.by_node[set->head.nodes.node].emplace(name, set);
    ++pools_of_node_[set->head.nodes.node][set->pool];
  } else {
    pool.general.emplace(name, set);
    ++general_pools_[set->pool];
  }
  affected.merge(Affected(*set));
  return affected;
}

std::set<std::string> DevicePools::RemoveSlice(std::string_view name) {
  ++version_;
  return Drop(std::string(name));
}

template <typename Use>
void DevicePools::ForEachLatest(const Pool& pool, const Use& use) const {
  if (pool.generations.empty()) return;
  const std::int64_t latest = pool.generations.rbegin()->first;
  const auto look = [&](const std::map<std::string, const Slice*>& slices) {
    for (const auto& [name, slice] : slices) {
      if (slice->head.generation != latest) continue;
      for (const Published& each : slice->devices) use(each);
    }
  };
  look(pool.general);
  for (const auto& [node, slices] : pool.by_node) look(slices);
}

bool DevicePools::CountersExist(
    const Published& device,
    const std::map<std::string, DeviceAmounts>& counters) const {
  return std::ranges::all_of(
      kinds_.device(device.content).uses, [&](const CounterUse& use) {
        const auto set = counters.find(use.set);
        return set != counters.end() &&
               std::ranges::all_of(use.counters, [&](const auto& counter) {
                 return set->second.contains(counter.first);
               });
      });
}

bool DevicePools::IsConsistent(const std::vector<const Slice*>& slices,
                               const OnNode& seen) const {
  std::set<SlotId> names;
  for (const Slice* slice : slices) {
    for (const Published& each : slice->devices) {
      if (!names.insert(each.slot).second) return false;
      if (!CountersExist(each, seen.counters)) return false;
    }
  }
  return true;
}

// The same of devices for other nodes, of which all nodes see the counters.
bool DevicePools::CountsRightly(const Pool& pool) const {
  if (pool.counts_as_of == version_) return pool.counts_rightly;
  const std::int64_t latest = pool.generations.rbegin()->first;
  std::map<std::string, DeviceAmounts> counters;
  for (const auto& [name, slice] : pool.counters) {
    if (slice->head.generation != latest) continue;
    for (const CounterSet& set : slice->head.counters) {
      counters.emplace(set.name, set.counters);
    }
  }
  bool right = true;
  ForEachLatest(pool, [&](const Published& each) {
    right = right && CountersExist(each, counters);
  });
  pool.counts_rightly = right;
  pool.counts_as_of = version_;
  return right;
}

void DevicePools::Fill(const std::vector<const Slice*>& slices,
                       const std::string& node, const Labels& labels,
                       OnNode& seen) const {
  bool sets_are_unique = true;
  for (const Slice* slice : slices) {
    for (const CounterSet& set : slice->head.counters) {
      sets_are_unique = seen.counters.emplace(set.name, set.counters).second &&
                        sets_are_unique;
    }
  }
  seen.invalid = !sets_are_unique || !IsConsistent(slices, seen);
  for (const Slice* slice : slices) {
    const bool each_says = SaysNoNode(slice->head.nodes);
    if (!each_says && !Includes(slice->head.nodes, node, labels)) continue;
    for (const Published& each : slice->devices) {
      seen.conditions = seen.conditions ||
                        !kinds_.device(each.content).binding_conditions.empty();
      const bool here =
          !each_says || (each.nodes && Includes(*each.nodes, node, labels));
      if (here) seen.devices.push_back({slice, &each});
    }
  }
}

std::optional<DevicePools::OnNode> DevicePools::Look(
    PoolId id, const std::string& node, const Labels& labels) const {
  const Pool& pool = at(id);
  std::map<std::string, const Slice*> relevant;
  if (const auto own = pool.by_node.find(node); own != pool.by_node.end()) {
    relevant = own->second;
  }
  for (const auto& [name, slice] : pool.general) {
    if (IsForNode(*slice, node, labels)) relevant.emplace(name, slice);
  }
  const auto has_devices = [](const auto& each) {
    return !each.second->devices.empty();
  };
  if (std::ranges::none_of(relevant, has_devices)) return std::nullopt;
  relevant.insert(pool.counters.begin(), pool.counters.end());
  std::int64_t generation = relevant.begin()->second->head.generation;
  for (const auto& [name, slice] : relevant) {
    generation = std::max(generation, slice->head.generation);
  }
  std::vector<const Slice*> slices;
  for (const auto& [name, slice] : relevant) {
    if (slice->head.generation == generation) slices.push_back(slice);
  }
  OnNode seen;
  seen.pool = id;
  const std::int64_t wanted = slices.front()->head.slices;
  if (static_cast<std::int64_t>(slices.size()) != wanted) {
    if (pool.generations.rbegin()->first > generation) return std::nullopt;
    seen.incomplete = pool.generations.at(generation) != wanted;
  }
  Fill(slices, node, labels, seen);
  if (static_cast<std::int64_t>(slices.size()) != wanted) {
    seen.invalid = seen.invalid || !CountsRightly(pool);
  }
  return seen;
}

std::vector<DevicePools::OnNode> DevicePools::Of(const std::string& node,
                                                 const Labels& labels) const {
  std::map<PoolId, int> candidates = general_pools_;
  if (const auto own = pools_of_node_.find(node); own != pools_of_node_.end()) {
    candidates.insert(own->second.begin(), own->second.end());
  }
  std::vector<OnNode> pools;
  for (const auto& [id, slices] : candidates) {
    if (auto seen = Look(id, node, labels)) pools.push_back(*std::move(seen));
  }
  std::ranges::sort(pools, {}, [&](const OnNode& each) {
    const Pool& pool = at(each.pool);
    return std::tie(each.conditions, pool.driver, pool.name);
  });
  return pools;
}

std::map<SlotId, ContentId> DevicePools::Counting(PoolId id) const {
  std::map<SlotId, ContentId> counting;
  ForEachLatest(at(id), [&](const Published& each) {
    if (kinds_.device(each.content).uses.empty()) return;
    counting.emplace(each.slot, each.content);
  });
  return counting;
}

std::optional<ContentId> DevicePools::ContentOf(const DeviceId& device) const {
  const auto known = Known(device.driver, device.pool);
  if (!known) return std::nullopt;
  const Pool& pool = at(*known);
  const auto slot = pool.slot_of.find(device.device);
  std::optional<ContentId> content;
  if (slot == pool.slot_of.end()) return content;
  ForEachLatest(pool, [&](const Published& each) {
    if (each.slot == slot->second) content = each.content;
  });
  return content;
}

std::map<KindId, int> DevicePools::CountKinds() const {
  std::map<KindId, int> counts;
  for (const auto& pool : pools_) {
    ForEachLatest(*pool, [&](const Published& each) {
      ++counts[kinds_.kind(each.content)];
    });
  }
  return counts;
}

std::set<KindId> DevicePools::WideKinds() const {
  std::set<KindId> kinds;
  for (const auto& pool : pools_) {
    if (!pool->IsWide()) continue;
    ForEachLatest(*pool, [&](const Published& each) {
      kinds.insert(kinds_.kind(each.content));
    });
  }
  return kinds;
}

}  // namespace fluxnetes::matcher
