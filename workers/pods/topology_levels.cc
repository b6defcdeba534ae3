// The parts of a topology, and what a group asks of each node: see
// topology_labels.h.
#include <algorithm>
#include <charconv>

#include "cluster/files/field_check.h"
#include "cluster/text/quote.h"
#include "workers/labels/label_values.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

constexpr std::string_view kAtMost = "at-most-";
constexpr const char* kKueueRequired =
    "kueue.x-k8s.io/podset-required-topology";
constexpr const char* kKueuePreferred =
    "kueue.x-k8s.io/podset-preferred-topology";
constexpr const char* kKueueSlice =
    "kueue.x-k8s.io/podset-slice-required-topology";
constexpr const char* kKueueSliceSize = "kueue.x-k8s.io/podset-slice-size";

const std::string* ValueOf(const auto& map, const char* name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

std::optional<std::int32_t> NumberIn(std::string_view text) {
  std::int32_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last || number < 1) return std::nullopt;
  return number;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    items.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return items;
}

// Why the numbers of pods do not follow one another; empty: they do.
std::string WhyNotNested(const std::vector<cluster::TopologyLevel>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].pods % parts[i - 1].pods != 0)
      return std::to_string(parts[i].pods) + " is not a multiple of " +
             std::to_string(parts[i - 1].pods);
  }
  return "";
}

// Whether all numbers of pods divide this one.
bool NumbersDivide(const cluster::GroupTopology& topology, std::int32_t pods) {
  const auto divides = [pods](const cluster::TopologyLevel& part) {
    return pods % part.pods == 0;
  };
  const cluster::PodsPerNode& per_node = topology.per_node;
  return std::ranges::all_of(topology.required_parts, divides) &&
         std::ranges::all_of(topology.preferred_parts, divides) &&
         (per_node.pods == 0 || per_node.at_most || pods % per_node.pods == 0);
}

}  // namespace

std::string ReadLevels(const std::string& place, const std::string& text,
                       const TopologyOrder& order, std::string& all,
                       std::vector<cluster::TopologyLevel>& parts) {
  const auto refuse = [&](const std::string& wrong, const char* right) {
    return Refusal(place, text, wrong, right);
  };
  const std::vector<std::string> items = Split(text);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t colon = items[i].find(':');
    const std::string key = KeyOfLevel(items[i].substr(0, colon), order);
    if (!cluster::IsQualifiedName(key))
      return refuse(
          cluster::Quote(items[i]) + " is not the key of a label",
          "host, rack, zone, region or the key of a label of nodes, such as "
          "topology.kubernetes.io/rack; several with the number of pods in "
          "each, the smallest first, such as rack:16,zone");
    if (colon == std::string::npos) {
      if (i + 1 < items.size())
        return refuse(cluster::Quote(items[i]) + " has no number of pods",
                      "a list in which only the last level has none, such as "
                      "rack:16,zone");
      all = key;
      continue;
    }
    const auto pods = NumberIn(std::string_view(items[i]).substr(colon + 1));
    if (!pods)
      return refuse(cluster::Quote(items[i]) + " has no number of pods",
                    "a level with a whole number from 1 on, such as rack:16");
    parts.push_back({key, *pods});
  }
  std::vector<std::string> keys;
  for (const cluster::TopologyLevel& part : parts) keys.push_back(part.key);
  if (!all.empty()) keys.push_back(all);
  if (std::string wrong = WhyNotInOrder(keys, order); !wrong.empty())
    return refuse(wrong, "a list of levels from the smallest to the widest");
  if (std::string wrong = WhyNotNested(parts); !wrong.empty())
    return refuse(wrong,
                  "a list of levels in which each number divides the "
                  "next, such as rack:16,zone:48");
  return "";
}

std::string ReadKueueTopology(const cluster::Pod& pod,
                              cluster::GroupTopology& topology) {
  const auto key = [&](const char* name, std::string& into) -> std::string {
    const std::string* const value = ValueOf(pod.annotations, name);
    if (value == nullptr) return "";
    if (!cluster::IsQualifiedName(*value))
      return Refusal("annotation " + std::string(name), *value,
                     "it is not the key of a label",
                     "the key of a label of nodes, such as "
                     "topology.kubernetes.io/rack");
    into = *value;
    return "";
  };
  std::string slice;
  std::string why = key(kKueueRequired, topology.required);
  if (why.empty()) why = key(kKueuePreferred, topology.preferred);
  if (why.empty()) why = key(kKueueSlice, slice);
  const std::string* const size = ValueOf(pod.annotations, kKueueSliceSize);
  if (!why.empty() || (slice.empty() && size == nullptr)) return why;
  const auto pods = size == nullptr ? std::nullopt : NumberIn(*size);
  if (slice.empty())
    return Refusal("annotation " + std::string(kKueueSliceSize), *size,
                   "no level of the slices is named",
                   "accompanied by the annotation " + std::string(kKueueSlice));
  if (!pods)
    return Refusal("annotation " + std::string(kKueueSliceSize),
                   size == nullptr ? "" : *size,
                   "it is the number of pods of each slice",
                   "a whole number from 1 on");
  topology.required_parts.push_back({slice, *pods});
  return "";
}

std::string ReadPodsPerNode(const cluster::Pod& pod,
                            cluster::PodsPerNode& per_node) {
  const std::string* const label = ValueOf(pod.labels, kPodsPerNodeLabel);
  if (label == nullptr) return "";
  std::string_view text = *label;
  per_node.at_most = text.starts_with(kAtMost);
  if (per_node.at_most) text.remove_prefix(kAtMost.size());
  const auto pods = NumberIn(text);
  if (!pods) {
    per_node = {};
    return Refusal(LabelCalled(kPodsPerNodeLabel), *label,
                   "it is the number of pods on each node of the group",
                   "a whole number from 1 on, such as 4, or at-most-4");
  }
  per_node.pods = *pods;
  return "";
}

bool AsksForNone(const cluster::GroupTopology& topology) {
  cluster::GroupTopology none;
  none.pools = topology.pools;
  return topology == none;
}

cluster::GroupTopology Adopted(const cluster::GroupTopology& own,
                               const cluster::GroupTopology& theirs,
                               std::int32_t size) {
  cluster::GroupTopology topology = cluster::OfGroup(theirs);
  topology.pools = own.pools;
  topology.adopted = true;
  topology.uncounted = !NumbersDivide(theirs, size);
  return topology;
}

bool AgreesWith(const cluster::GroupTopology& asked,
                const cluster::GroupTopology& has) {
  if (AsksForNone(asked)) return asked.pools == has.pools;
  return asked == cluster::OfGroup(has);
}

bool IsSameTopology(const cluster::GroupTopology& asked,
                    const cluster::GroupTopology& recorded) {
  if (!recorded.adopted) return asked == recorded;
  return AsksForNone(asked) && asked.pools == recorded.pools;
}

std::string WhyNotDivided(const cluster::GroupTopology& topology,
                          std::int32_t size, std::int32_t asking) {
  if (NumbersDivide(topology, size) ||
      (asking > 0 && NumbersDivide(topology, asking)))
    return "";
  std::string group =
      "the group has " + std::to_string(size) + (size == 1 ? " pod" : " pods");
  if (asking < size)
    group += ", and " + std::to_string(asking) + " of them ask for it";
  for (const auto& [name, parts] :
       {std::pair(kTopologyRequiredLabel, &topology.required_parts),
        std::pair(kTopologyPreferredLabel, &topology.preferred_parts)}) {
    for (const cluster::TopologyLevel& part : *parts) {
      if (size % part.pods != 0)
        return Refusal(name, part.key + ":" + std::to_string(part.pods), group,
                       "a number that divides it");
    }
  }
  const cluster::PodsPerNode& per_node = topology.per_node;
  return Refusal(
      LabelCalled(kPodsPerNodeLabel), std::to_string(per_node.pods), group,
      "a number that divides it, or at-most-" + std::to_string(per_node.pods));
}

std::string WhyNoChain(const cluster::GroupTopology& topology) {
  if (topology.preferred_parts.empty() || topology.required_parts.empty() ||
      !topology.preferred.empty())
    return "";
  const std::int32_t inner = topology.preferred_parts.back().pods;
  const std::int32_t outer = topology.required_parts.front().pods;
  if (outer % inner == 0) return "";
  return Refusal(
      kTopologyPreferredLabel,
      topology.preferred_parts.back().key + ":" + std::to_string(inner),
      std::to_string(outer) + " pods are required in one " +
          topology.required_parts.front().key,
      "a number that divides it");
}

bool HasParts(const cluster::GroupTopology& topology) {
  return !topology.required_parts.empty() || !topology.preferred_parts.empty();
}

LevelsOfGroup LevelsOf(const cluster::GroupTopology& topology) {
  LevelsOfGroup of;
  const auto add = [&](const std::vector<cluster::TopologyLevel>& parts,
                       const std::string& all) {
    for (const cluster::TopologyLevel& part : parts)
      of.levels.push_back({part.key, part.pods});
    if (!all.empty()) of.levels.push_back({all, 0});
  };
  add(topology.required_parts, topology.required);
  of.required = static_cast<int>(of.levels.size());
  std::vector<matcher::TopologyLevel> required = std::exchange(of.levels, {});
  add(topology.preferred_parts, topology.preferred);
  of.levels.insert(of.levels.end(), required.begin(), required.end());
  return of;
}

std::string TopologyInWords(const cluster::GroupTopology& topology) {
  std::string text;
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  const auto add_levels = [&](const std::vector<cluster::TopologyLevel>& parts,
                              const std::string& all, const char* how) {
    for (const cluster::TopologyLevel& part : parts)
      add(how + std::to_string(part.pods) + " in one " +
          DomainCalled(part.key));
    if (!all.empty()) add(std::string(how) + "in one " + DomainCalled(all));
  };
  add_levels(topology.required_parts, topology.required, "");
  add_levels(topology.preferred_parts, topology.preferred, "preferably ");
  const cluster::PodsPerNode& per_node = topology.per_node;
  if (per_node.pods > 0)
    add((per_node.at_most ? "at most " : "") + std::to_string(per_node.pods) +
        " on each node");
  if (topology.whole_nodes) add("whole nodes");
  return text;
}

}  // namespace fluxnetes::workers
