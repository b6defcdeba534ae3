#include "workers/pods/topology_labels.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cluster/files/field_check.h"
#include "cluster/text/quote.h"
#include "workers/labels/label_values.h"

namespace fluxnetes::workers {
namespace {

struct Level {
  std::string_view name;
  std::string_view key;
};

// The narrowest first.
constexpr std::array<Level, 4> kLevels = {
    Level{"host", "kubernetes.io/hostname"},
    Level{"rack", "topology.kubernetes.io/rack"},
    Level{"zone", "topology.kubernetes.io/zone"},
    Level{"region", "topology.kubernetes.io/region"}};

const Level* LevelNamed(std::string_view name) {
  const auto* found = std::ranges::find(kLevels, name, &Level::name);
  return found == kLevels.end() ? nullptr : found;
}

const Level* LevelOf(std::string_view key) {
  const auto* found = std::ranges::find(kLevels, key, &Level::key);
  return found == kLevels.end() ? nullptr : found;
}

// Reads one of the two levels, from label and annotation.
class LevelReader {
 public:
  LevelReader(const cluster::Pod& pod, const char* name,
              const std::optional<TopologyOrder>& order)
      : pod_(pod),
        name_(name),
        order_(order.value_or(TopologyOrder())),
        knows_all_(order.has_value()) {}

  // Returns the key of the last level; empty if there is none, or it is
  // refused. Fills the levels inside of it.
  std::string Read(std::vector<cluster::TopologyLevel>& parts,
                   std::string& refused) {
    const std::string by_label = ReadLabel();
    const std::string by_annotation = ReadAnnotation(parts);
    const bool differ = by_label != by_annotation || !parts.empty();
    if (!by_label.empty() && pod_.annotations.contains(name_) && differ)
      Refuse("label and annotation " + name_ + " are " +
             cluster::Quote(pod_.labels.at(name_)) + " and " +
             cluster::Quote(pod_.annotations.at(name_)) +
             ": they must be the same");
    if (refused.empty()) refused = refused_;
    if (!refused_.empty()) {
      parts.clear();
      return "";
    }
    return by_label.empty() ? by_annotation : by_label;
  }

 private:
  void Refuse(std::string why) {
    if (refused_.empty()) refused_ = std::move(why);
  }

  std::string ReadLabel() {
    const auto label = pod_.labels.find(name_);
    if (label == pod_.labels.end()) return "";
    std::string key = KeyOfLevel(label->second, order_);
    if (key != label->second || !knows_all_ || std::ranges::count(order_, key))
      return key;
    std::string levels = "host, rack, zone or region";
    for (const std::string& each : order_)
      levels = std::string(WordOf(each)) + ", " + levels;
    Refuse(Refusal(LabelCalled(name_.c_str()), label->second,
                   "it is not a level",
                   levels + "; an annotation of the same name may be "
                            "the key of another label of nodes"));
    return "";
  }

  std::string ReadAnnotation(std::vector<cluster::TopologyLevel>& parts) {
    const auto annotation = pod_.annotations.find(name_);
    if (annotation == pod_.annotations.end()) return "";
    std::string all;
    Refuse(ReadLevels("annotation " + name_, annotation->second, order_, all,
                      parts));
    return all;
  }

  const cluster::Pod& pod_;
  const std::string name_;
  const TopologyOrder order_;
  const bool knows_all_;
  std::string refused_;
};

bool ReadExclusive(const cluster::Pod& pod, std::string& refused) {
  const auto label = pod.labels.find(kExclusiveLabel);
  if (label == pod.labels.end() || label->second == "false") return false;
  if (label->second == "true") return true;
  if (refused.empty())
    refused = Refusal(LabelCalled(kExclusiveLabel), label->second,
                      "it says whether the group has its nodes for itself",
                      "true or false");
  return false;
}

}  // namespace

TopologyLabels ReadTopologyLabels(const cluster::Pod& pod,
                                  const std::optional<TopologyOrder>& order) {
  TopologyLabels read;
  cluster::GroupTopology& topology = read.topology;
  topology.required = LevelReader(pod, kTopologyRequiredLabel, order)
                          .Read(topology.required_parts, read.refused);
  topology.preferred = LevelReader(pod, kTopologyPreferredLabel, order)
                           .Read(topology.preferred_parts, read.refused);
  const auto refuse = [&](const std::string& why) {
    if (read.refused.empty()) read.refused = why;
  };
  if (topology == cluster::GroupTopology{})
    refuse(ReadKueueTopology(pod, topology));
  refuse(WhyNoChain(topology));
  refuse(ReadPodsPerNode(pod, topology.per_node));
  topology.whole_nodes = ReadExclusive(pod, read.refused);
  topology.aside = cluster::BelongsToItsNode(pod);
  if (topology.aside && topology.whole_nodes && read.refused.empty())
    read.refused = Refusal(
        LabelCalled(kExclusiveLabel), "true",
        "a pod of a DaemonSet shares its node with all others", "left out");
  if (read.refused.empty())
    read.refused = WhyTooWide(topology, order.value_or(TopologyOrder()));
  return read;
}

std::string_view WordOf(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? key : key.substr(slash + 1);
}

std::string WhyNotInOrder(const std::vector<std::string>& keys,
                          const TopologyOrder& order) {
  auto last = order.end();
  for (const std::string& key : keys) {
    const auto here = std::ranges::find(order, key);
    if (here == order.end()) continue;
    if (here >= last && last != order.end())
      return std::string(WordOf(key)) + " is not wider than " +
             std::string(WordOf(*last)) +
             " in the setting topology of the queue";
    last = here;
  }
  return "";
}

std::string WhyTooWide(const cluster::GroupTopology& topology,
                       const TopologyOrder& order) {
  const auto inner = std::ranges::find(order, topology.preferred);
  const auto outer = std::ranges::find(order, topology.required);
  if (inner != order.end() && outer != order.end()) {
    if (inner >= outer) return "";
    return Refusal(kTopologyPreferredLabel, topology.preferred,
                   "by the setting topology of the queue it is wider than " +
                       topology.required + ", which is required",
                   "a level within that, or left out");
  }
  const Level* const required = LevelOf(topology.required);
  const Level* const preferred = LevelOf(topology.preferred);
  if (required == nullptr || preferred == nullptr || preferred <= required)
    return "";
  std::string right;
  for (const Level* level = kLevels.data(); level <= required; ++level)
    right += (right.empty() ? "" : " or ") + std::string(level->name);
  return Refusal(
      kTopologyPreferredLabel, std::string(preferred->name),
      "it is wider than " + std::string(required->name) + ", which is required",
      right);
}

std::vector<std::string> KeysOf(const cluster::GroupTopology& topology) {
  std::vector<std::string> keys;
  if (!topology.preferred.empty()) keys.push_back(topology.preferred);
  if (!topology.required.empty() && topology.required != topology.preferred)
    keys.push_back(topology.required);
  return keys;
}

TopologyOrder OrderOf(const std::string& queue,
                      const QueueTopologies* topologies) {
  if (topologies == nullptr) return {};
  const auto found = topologies->find(queue);
  return found == topologies->end() ? TopologyOrder() : found->second;
}

std::string KeyOfLevel(const std::string& word, const TopologyOrder& order) {
  for (const std::string& key : order)
    if (key == word || WordOf(key) == word) return key;
  const Level* const level = LevelNamed(word);
  return level == nullptr ? word : std::string(level->key);
}

std::string DomainCalled(const std::string& key) {
  const Level* const level = LevelOf(key);
  if (level == nullptr) return "value of the label " + key;
  return std::string(level->name) + " (" + key + ")";
}

}  // namespace fluxnetes::workers
