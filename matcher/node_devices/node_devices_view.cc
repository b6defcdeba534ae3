#include <algorithm>
#include <utility>

#include "matcher/devices/request_amounts.h"
#include "matcher/node_devices/node_devices_state.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMostStateBytes = 64 << 20;
constexpr int kCallsToLimit = 4096;

std::size_t HashOfLayout(const DeviceLayout& layout) {
  std::size_t hash = layout.positions.size();
  const auto add = [&hash](std::size_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 31;
  };
  for (const auto& position : layout.positions) {
    add(static_cast<std::size_t>(position.kind) << 20 | position.pool);
  }
  for (const auto& pattern : layout.patterns) {
    for (const std::int16_t value : pattern) add(value);
  }
  return hash;
}

DeviceStates* LayoutIn(
    const std::unordered_multimap<std::size_t, DeviceStates*>& index,
    std::size_t hash, const DeviceLayout& layout) {
  const auto [first, last] = index.equal_range(hash);
  const auto found = std::find_if(first, last, [&](const auto& each) {
    return each.second->layout() == layout;
  });
  return found == last ? nullptr : found->second;
}

using CounterNumbers = std::map<std::pair<std::string, std::string>, int>;

// The numbers of the counters of a pool, which are added to the layout.
CounterNumbers AddCounters(const DevicePools::OnNode& pool,
                           DeviceLayout& layout) {
  CounterNumbers numbers;
  for (const auto& [set, counters] : pool.counters) {
    for (const auto& [name, amount] : counters) {
      numbers.emplace(std::pair(set, name),
                      static_cast<int>(layout.counters.size()));
      layout.counters.push_back(amount.nano);
    }
  }
  return numbers;
}

std::vector<DeviceLayout::Use> UsesOf(const Device& device,
                                      const CounterNumbers& numbers) {
  std::vector<DeviceLayout::Use> uses;
  for (const CounterUse& use : device.uses) {
    for (const auto& [name, amount] : use.counters) {
      const auto number = numbers.find({use.set, name});
      if (number == numbers.end()) continue;  // of an invalid pool
      uses.push_back({number->second, amount.nano});
    }
  }
  return uses;
}

void AddAmounts(const Device& device, const DeviceAmounts& amounts,
                const DeviceLayout::Position& position, DeviceState& state) {
  state.SetShared(position.share);
  int at = position.amounts;
  for (const auto& [name, has] : device.capacity) {
    const auto amount = amounts.find(name);
    if (amount != amounts.end()) state.AddAmount(at, amount->second.nano);
    ++at;
  }
}

}  // namespace

DeviceLayout NodeDevices::State::LayoutOf(
    Node& node, const std::vector<DevicePools::OnNode>& on_node) {
  DeviceLayout layout;
  for (const DevicePools::OnNode& from : on_node) {
    DeviceLayout::Pool pool{from.incomplete, from.invalid,
                            static_cast<int>(layout.counters.size()), 0};
    const CounterNumbers numbers = AddCounters(from, layout);
    pool.last_counter = static_cast<int>(layout.counters.size());
    PoolOfNode of{from.pool,
                  static_cast<int>(node.places.size()),
                  0,
                  pools.at(from.pool).IsWide(),
                  {}};
    std::map<SlotId, ContentId> outside;
    if (!numbers.empty()) outside = pools.Counting(from.pool);
    for (const DevicePools::Device& each : from.devices) {
      const Device& device = kinds.device(each.published->content);
      DeviceLayout::Position position;
      position.kind = kinds.kind(each.published->content);
      position.pool = static_cast<int>(layout.pools.size());
      position.uses = UsesOf(device, numbers);
      if (device.shared) {
        position.share = layout.shares++;
        position.amounts = layout.amounts;
        layout.amounts += static_cast<int>(device.capacity.size());
      }
      layout.positions.push_back(std::move(position));
      const DeviceNodes& nodes = each.published->nodes ? *each.published->nodes
                                                       : each.slice->head.nodes;
      Place place{from.pool, each.published->slot, each.published->content, {}};
      if (nodes.node.empty() && !device.binds_to_node) place.nodes = nodes;
      node.places.push_back(std::move(place));
      outside.erase(each.published->slot);
    }
    for (const auto& [slot, content] : outside) {
      of.outsiders.push_back({slot, UsesOf(kinds.device(content), numbers)});
    }
    of.last = static_cast<int>(node.places.size());
    node.wide = node.wide || of.wide;
    node.pools.push_back(std::move(of));
    layout.pools.push_back(pool);
  }
  for (AttributeId a = 0; a < kinds.attributes(); ++a) {
    auto& pattern = layout.patterns.emplace_back();
    std::map<std::int32_t, std::int16_t> numbers;
    for (const Place& place : node.places) {
      const std::int32_t value = kinds.value(place.content, a);
      pattern.push_back(
          value < 0 ? std::int16_t{-1}
                    : numbers
                          .try_emplace(
                              value, static_cast<std::int16_t>(numbers.size()))
                          .first->second);
    }
  }
  return layout;
}

DeviceStates& NodeDevices::State::StatesOf(DeviceLayout layout) {
  const std::size_t hash = HashOfLayout(layout);
  if (DeviceStates* known = LayoutIn(layout_index, hash, layout)) return *known;
  layouts.push_back(std::make_unique<DeviceStates>(std::move(layout)));
  layout_index.emplace(hash, layouts.back().get());
  return *layouts.back();
}

void NodeDevices::State::View(Node& node) {
  node.pools.clear();
  node.places.clear();
  node.wide = false;
  node.seen = {};
  node.seen_empty = {};
  std::vector<DevicePools::OnNode> on_node;
  if (!node.name.empty()) on_node = pools.Of(node.name, LabelsOf(node));
  node.states = &StatesOf(LayoutOf(node, on_node));
  node.known = true;
  node.view_epoch = view_epoch;
  node.kinds_epoch = kinds.epoch();
  node.layouts_epoch = layouts_epoch;
}

// Forgets what is known of states if it takes too much memory.
void NodeDevices::State::LimitStates() {
  if (++calls_to_limit < kCallsToLimit) return;
  calls_to_limit = 0;
  std::size_t bytes = 0;
  for (const auto& each : layouts) {
    bytes += each->bytes() + each->layout().positions.size() * 64;
  }
  if (bytes < kMostStateBytes) return;
  layouts.clear();
  layout_index.clear();
  ++layouts_epoch;
}

void NodeDevices::State::Look(Node& node) {
  if (kinds_forgotten != kinds.forgets()) {
    kinds_forgotten = kinds.forgets();
    layouts.clear();
    layout_index.clear();
    ++layouts_epoch;
  }
  if (node.known && node.view_epoch == view_epoch &&
      node.kinds_epoch == kinds.epoch() &&
      node.layouts_epoch == layouts_epoch) {
    return;
  }
  View(node);
}

const PoolTakings::Taken& NodeDevices::State::TakenOf(
    PoolId pool, const InsideWindow* window) {
  PoolTakings& takings = pools.at(pool).takings;
  return window == nullptr ? takings.Empty() : takings.In(*window);
}

void NodeDevices::State::AddTaken(const Node& node, int number,
                                  const PoolTakings::Taken& taken,
                                  DeviceWords& words) const {
  const DeviceLayout& layout = node.states->layout();
  DeviceState state(layout, words);
  const PoolOfNode& pool = node.pools[number];
  for (int p = pool.first; p < pool.last; ++p) {
    const Place& place = node.places[p];
    const DeviceLayout::Position& position = layout.positions[p];
    if (taken.IsAlone(place.slot)) state.SetTaken(p);
    if (taken.shares.empty()) continue;
    const auto share = taken.shares.find(place.slot);
    if (share == taken.shares.end()) continue;
    if (position.share < 0) {
      state.SetTaken(p);
    } else {
      AddAmounts(kinds.device(place.content), share->second, position, state);
    }
  }
  for (const Outsider& each : pool.outsiders) {
    if (!taken.IsAlone(each.slot) && !taken.shares.contains(each.slot)) {
      continue;
    }
    for (const DeviceLayout::Use& use : each.uses) {
      state.AddOutside(use.counter, use.nano);
    }
  }
}

NodeDevices::State::StateId NodeDevices::State::StateIn(
    Node& node, const InsideWindow* window) {
  Seen& seen = window == nullptr ? node.seen_empty : node.seen;
  const std::size_t size = node.pools.size();
  bool same = seen.state != kNone && seen.numbers.size() == size;
  seen.numbers.resize(size);
  bool lasting = true;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t number = TakenOf(node.pools[i].pool, window).number;
    same = same && number != 0 && seen.numbers[i] == number;
    lasting = lasting && number != 0;
    seen.numbers[i] = number;
  }
  if (same) return seen.state;
  DeviceWords words(node.states->words_of_state());
  for (int i = 0; i < static_cast<int>(size); ++i) {
    AddTaken(node, i, TakenOf(node.pools[i].pool, window), words);
  }
  const StateId state = node.states->Find(words);
  seen.state = lasting ? state : kNone;
  return state;
}

NodeDevices::State::StateId NodeDevices::State::StateIn(
    Node& node, const InsideWindow* window, const Overlay& overlay) {
  if (overlay.uses.empty()) return StateIn(node, window);
  DeviceWords words(node.states->words_of_state());
  for (int i = 0; i < static_cast<int>(node.pools.size()); ++i) {
    const PoolId pool = node.pools[i].pool;
    const auto is_here = [&](const auto& each) { return each.first == pool; };
    const PoolTakings::Taken& booked = TakenOf(pool, window);
    if (std::ranges::none_of(overlay.uses, is_here)) {
      AddTaken(node, i, booked, words);
      continue;
    }
    PoolTakings::Taken taken = booked;
    for (const auto& [of, use] : overlay.uses) {
      if (of == pool) taken.Add(use);
    }
    AddTaken(node, i, taken, words);
  }
  return node.states->Find(words);
}

}  // namespace fluxnetes::matcher
