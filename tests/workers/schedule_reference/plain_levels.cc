#include "tests/workers/schedule_reference/plain_levels.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fluxnetes::workers {
namespace {

using Nodes = std::vector<PlainNode>;
using Places = std::vector<int>;

// As Story makes nodes and pods.
constexpr double kGiBOfNode = 1'024;
constexpr double kPodsOfNode = 110;

// By value; nodes without the label are in none.
std::map<std::string, Nodes> Divided(const Nodes& nodes,
                                     const std::string& key) {
  std::map<std::string, Nodes> parts;
  for (const PlainNode& node : nodes) {
    const auto value = node.labels->find(key);
    if (value != node.labels->end()) parts[value->second].push_back(node);
  }
  return parts;
}

std::optional<Places> Filled(const Nodes& nodes, int pods) {
  Places places;
  for (const PlainNode& node : nodes)
    for (int i = 0; i < node.fits && std::ssize(places) < pods; ++i)
      places.push_back(node.number);
  if (std::ssize(places) < pods) return std::nullopt;
  return places;
}

// Of all resources that pods ask for, as shares of what the nodes have.
double FreeShare(const Nodes& nodes, const PlainTotals& totals) {
  double cpu = 0;
  double memory = 0;
  double pods = 0;
  for (const PlainNode& node : nodes) {
    cpu += static_cast<double>(node.cpu);
    memory += kGiBOfNode - static_cast<double>(node.pods);
    pods += kPodsOfNode - static_cast<double>(node.pods);
  }
  const auto count = static_cast<double>(totals.nodes);
  return cpu / static_cast<double>(totals.cpu) + memory / (kGiBOfNode * count) +
         pods / (kPodsOfNode * count);
}

// All pods in one value of the key, that with the least free first; and, within
// that, in one value of `outer`, if it is another key.
std::optional<Places> InOneValue(const Nodes& nodes, const PlainTotals& totals,
                                 int pods, const std::string& key,
                                 const std::string& outer) {
  std::vector<std::pair<double, Nodes>> values;
  for (auto& [value, inside] : Divided(nodes, key))
    values.emplace_back(FreeShare(inside, totals), std::move(inside));
  std::ranges::stable_sort(values, {}, &std::pair<double, Nodes>::first);
  for (const auto& [share, inside] : values) {
    if (outer.empty() || outer == key) {
      if (auto places = Filled(inside, pods)) return places;
      continue;
    }
    for (const auto& [value, within] : Divided(inside, outer))
      if (auto places = Filled(within, pods)) return places;
  }
  return std::nullopt;
}

// Levels with numbers of pods, the innermost first; 0: all pods.
using Levels = std::vector<cluster::TopologyLevel>;

// How many pods the nodes take by the first `count` levels, and no more than
// twice as many as there are: beyond that no part is tighter than another.
int RoomIn(const Nodes& nodes, const Levels& levels, std::size_t count,
           int pods) {
  int room = 0;
  if (count == 0) {
    for (const PlainNode& node : nodes) room += node.fits;
    return std::min(room, 2 * pods);
  }
  const cluster::TopologyLevel& level = levels[count - 1];
  for (const auto& [value, inside] : Divided(nodes, level.key)) {
    const int here = RoomIn(inside, levels, count - 1, pods);
    room = level.pods == 0 ? std::max(room, here)
                           : room + here / level.pods * level.pods;
  }
  return std::min(room, 2 * pods);
}

struct Part {
  Nodes nodes;
  int room = 0;
  int takes = 0;
};

// Shares pods out in multiples of `number`: to the part with the most room, as
// long as no part has room for all that are left; then to the tightest one that
// has.
void ShareOut(std::vector<Part>& parts, int number, int pods) {
  while (pods > 0) {
    Part* most = nullptr;
    Part* tightest = nullptr;
    for (Part& part : parts) {
      const int left = (part.room - part.takes) / number * number;
      const auto left_in = [&](const Part* other) {
        return (other->room - other->takes) / number * number;
      };
      if (most == nullptr || left > left_in(most)) most = &part;
      if (left >= pods && (tightest == nullptr || left < left_in(tightest)))
        tightest = &part;
    }
    Part& chosen = tightest != nullptr ? *tightest : *most;
    const int takes =
        std::min(pods, (chosen.room - chosen.takes) / number * number);
    chosen.takes += takes;
    pods -= takes;
  }
}

std::optional<Places> ByLevels(const Nodes& nodes, const Levels& levels,
                               std::size_t count, int pods, int of_group) {
  if (RoomIn(nodes, levels, count, of_group) < pods) return std::nullopt;
  if (count == 0) return Filled(nodes, pods);
  const cluster::TopologyLevel& level = levels[count - 1];
  std::vector<Part> parts;
  for (auto& [value, inside] : Divided(nodes, level.key)) {
    const int room = RoomIn(inside, levels, count - 1, of_group);
    parts.push_back({std::move(inside), room});
  }
  if (level.pods == 0) {
    std::ranges::stable_sort(parts, {}, &Part::room);
    for (const Part& part : parts) {
      auto places = ByLevels(part.nodes, levels, count - 1, pods, of_group);
      if (places) return places;
    }
    return std::nullopt;
  }
  ShareOut(parts, level.pods, pods);
  Places all;
  for (const Part& part : parts) {
    if (part.takes == 0) continue;
    const auto places =
        ByLevels(part.nodes, levels, count - 1, part.takes, of_group);
    if (!places) return std::nullopt;
    all.insert(all.end(), places->begin(), places->end());
  }
  return all;
}

Levels LevelsIn(const std::vector<cluster::TopologyLevel>& parts,
                const std::string& all) {
  Levels levels = parts;
  if (!all.empty()) levels.push_back({all, 0});
  return levels;
}

}  // namespace

std::optional<std::vector<int>> PlaceByLevels(
    const cluster::GroupTopology& topology, int pods,
    const std::vector<PlainNode>& nodes, const PlainTotals& totals) {
  const bool parts =
      !topology.required_parts.empty() || !topology.preferred_parts.empty();
  if (!parts) {
    for (const std::string& key : {topology.preferred, topology.required}) {
      if (key.empty()) continue;
      auto places = InOneValue(nodes, totals, pods, key, topology.required);
      if (places) return places;
    }
    if (!topology.required.empty()) return std::nullopt;
    return Filled(nodes, pods);
  }
  const Levels required = LevelsIn(topology.required_parts, topology.required);
  Levels preferred = LevelsIn(topology.preferred_parts, topology.preferred);
  // What is preferred is left out, the innermost first, until the pods fit.
  for (;; preferred.erase(preferred.begin())) {
    Levels levels = preferred;
    levels.insert(levels.end(), required.begin(), required.end());
    if (levels.empty()) return Filled(nodes, pods);
    // Within one value of a level, numbers of wider levels hold of themselves.
    const auto whole =
        std::ranges::find(levels, 0, &cluster::TopologyLevel::pods);
    if (whole != levels.end())
      levels.erase(
          std::remove_if(std::next(whole), levels.end(),
                         [](const auto& each) { return each.pods > 0; }),
          levels.end());
    if (auto places = ByLevels(nodes, levels, levels.size(), pods, pods))
      return places;
    if (preferred.empty()) return std::nullopt;
  }
}

}  // namespace fluxnetes::workers
