#include "cluster/files/node_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cluster/files/field_rules.h"
#include "cluster/files/manifest.h"
#include "cluster/json/objects.h"
#include "cluster/structures/structure_texts.h"
#include "cluster/structures/topology_policy.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Kind = FieldRule::Kind;

constexpr std::array kGroup = {
    FieldRule{"count", Kind::kPositive},
    FieldRule{"name", Kind::kSubdomain, true},
    FieldRule{"cpu", Kind::kQuantity, true},
    FieldRule{"memory", Kind::kQuantity, true},
    FieldRule{"ephemeral-storage", Kind::kQuantity},
    FieldRule{"pods", Kind::kQuantity},
    FieldRule{"resources", Kind::kQuantities},
    FieldRule{"zone", Kind::kLabelValue},
    FieldRule{"rack", Kind::kLabelValue},
    FieldRule{"labels", Kind::kLabels},
    FieldRule{"taints", Kind::kList},
    FieldRule{"taints[].key", Kind::kText, true},
    FieldRule{"taints[].value", Kind::kText},
    FieldRule{"taints[].effect", Kind::kChoice, true,
              "NoSchedule PreferNoSchedule NoExecute"},
    FieldRule{"unschedulable", Kind::kFlag},
    FieldRule{"topology-policy", Kind::kChoice, false,
              "none restricted single-numa-node"}};
constexpr const char* kStructure = "structure";

[[noreturn]] void RefuseNode(const std::string& place, const std::string& why) {
  throw InputError(place + ": " + why);
}

void CheckKeys(const Json& group, const std::string& place) {
  if (!group.is_object()) {
    RefuseNode(place,
               "must be a mapping, like {name: node, cpu: 32, memory: 1Gi}");
  }
  std::string known;
  for (const FieldRule& rule : kGroup) {
    const std::string_view path = rule.path;
    if (path.find('[') != std::string_view::npos) continue;
    known += (known.empty() ? "" : ", ") + std::string(path);
  }
  known += std::string(", ") + kStructure;
  for (const auto& [key, value] : group.items()) {
    if (key == kStructure) continue;
    if (std::ranges::find(kGroup, std::string_view(key),
                          [](const FieldRule& rule) {
                            return std::string_view(rule.path);
                          }) == kGroup.end()) {
      RefuseNode(place,
                 "does not know " + Quote(key) + "; it may have " + known);
    }
  }
}

// All amounts in one object, as in a Node manifest.
Json AmountsOf(const Json& group) {
  Json amounts = At(group, "resources").is_object() ? At(group, "resources")
                                                    : Json::object();
  for (const char* const name : {"cpu", "memory", "ephemeral-storage"}) {
    if (!At(group, name).is_null()) amounts[name] = At(group, name);
  }
  amounts["pods"] =
      At(group, "pods").is_null() ? Json(kDefaultPods) : At(group, "pods");
  return amounts;
}

// The text of a structure that is a mapping: its entries side by side.
std::string TextOfMapping(const Json& structure, const std::string& place) {
  std::string text;
  for (const auto& [key, value] : structure.items()) {
    if (!value.is_string() && !value.is_number_integer()) {
      RefuseNode(place + "." + key,
                 "must be a number, or an amount such as 512Gi");
    }
    text += (text.empty() ? "" : ", ") + key + ": " +
            (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

// A kubelet's topology manager knows no more.
constexpr std::int64_t kMostDomains = 8;

void SetStructure(const Json& group, const std::string& group_place,
                  Node& node) {
  const bool policy = node.topology_policy != TopologyPolicy::kNone;
  const std::string place_of_policy = group_place + ".topology-policy";
  const Json& structure = At(group, kStructure);
  if (structure.is_null()) {
    if (!policy) return;
    RefuseNode(place_of_policy,
               "needs a structure, which says what the NUMA domains have");
  }
  const std::string place = group_place + "." + kStructure;
  if (!structure.is_string() && !structure.is_object()) {
    RefuseNode(place,
               "must be a text, like \"sockets: 2, numa: 4, cores: 32\", or a "
               "mapping of the same keys");
  }
  StructureTexts texts;
  const ReadText& read =
      texts.Read(structure.is_string() ? structure.get<std::string>()
                                       : TextOfMapping(structure, place));
  if (!read.fault.empty()) RefuseNode(place, read.fault);
  const std::string other =
      WhatDisagrees(read, node.allocatable, /*exactly=*/true);
  if (!other.empty()) RefuseNode(place, "has " + other);
  if (policy && read.numa > kMostDomains) {
    RefuseNode(place_of_policy, "knows at most " +
                                    std::to_string(kMostDomains) +
                                    " NUMA domains; the structure has " +
                                    std::to_string(read.numa));
  }
  node.structure = read.text;
}

// The template of the nodes of a group.
Node Model(const Json& group, const std::string& place) {
  CheckKeys(group, place);
  if (const auto wrong = WhatIsWrong(group, kGroup, place)) {
    throw InputError(*wrong);
  }
  // Decodes the fields that both forms have.
  const Json both = {{"metadata", {{"labels", At(group, "labels")}}},
                     {"spec",
                      {{"taints", At(group, "taints")},
                       {"unschedulable", At(group, "unschedulable")}}},
                     {"status", {{"allocatable", AmountsOf(group)}}}};
  Node node = DecodeNode(both);
  if (node.allocatable.cpu_milli == 0)
    RefuseNode(place + ".cpu", "a node needs cpu");
  if (node.allocatable.memory_bytes == 0) {
    RefuseNode(place + ".memory", "a node needs memory");
  }
  if (At(group, "zone").is_string()) {
    node.labels["topology.kubernetes.io/zone"] = Text(group, "zone");
  }
  if (At(group, "rack").is_string()) {
    node.labels["topology.kubernetes.io/rack"] = Text(group, "rack");
  }
  node.topology_policy = TopologyPolicyOf(Text(group, "topology-policy"));
  SetStructure(group, place, node);
  return node;
}

// The nodes, in order; refuses a duplicate name.
class NodeList {
 public:
  void Add(Node node, const std::string& place) {
    if (nodes_.size() == static_cast<std::size_t>(kMostNodes)) {
      RefuseNode(place, "more than " + std::to_string(kMostNodes) + " nodes");
    }
    if (!names_.insert(node.name).second) {
      RefuseNode(place, "the node " + Quote(node.name) + " is there twice");
    }
    node.labels.try_emplace("kubernetes.io/hostname", node.name);
    nodes_.push_back(std::move(node));
  }
  void AddGroup(const Json& group, const std::string& place) {
    const Node model = Model(group, place);
    const std::string name = Text(group, "name");
    const bool alone = At(group, "count").is_null();
    const int count = alone ? 1 : At(group, "count").get<int>();
    for (int i = 0; i < count; ++i) {
      Node node = model;
      node.name = alone ? name : name + std::to_string(i);
      Add(std::move(node), place);
    }
  }
  std::vector<Node> Take() { return std::move(nodes_); }

 private:
  std::vector<Node> nodes_;
  std::set<std::string> names_;
};

void AddGroups(const Json& document, const std::string& place, NodeList& all) {
  for (const auto& [key, value] : document.items()) {
    if (key == "nodes") continue;
    RefuseNode(place,
               "does not know " + Quote(key) +
                   "; it may have nodes, or be a Node manifest with kind");
  }
  const Json& groups = At(document, "nodes");
  if (!groups.is_array() || groups.empty()) {
    RefuseNode(place,
               "nodes must be a list of at least one, like "
               "[{name: node, count: 4, cpu: 32, memory: 128Gi}]");
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    all.AddGroup(groups[i], place + ": nodes[" + std::to_string(i) + "]");
  }
}

// `file` receives the devices; null: they are refused.
void AddManifest(Json object, const std::string& place,
                 const YamlLimits& limits, NodeList& all, NodeFile* file) {
  Manifest manifest = ReadManifest(
      std::move(object), place, {.limits = limits, .devices = file != nullptr});
  if (auto* const node = std::get_if<Node>(&manifest.object)) {
    all.Add(std::move(*node), manifest.place);
  } else if (auto* const of = std::get_if<DeviceClass>(&manifest.object)) {
    file->classes.push_back(std::move(*of));
  } else if (auto* const slice = std::get_if<ResourceSlice>(&manifest.object)) {
    file->slices.push_back(std::move(*slice));
  } else {
    RefuseNode(manifest.place,
               file == nullptr ? "is no Node"
                               : "is no Node, DeviceClass or ResourceSlice");
  }
}

std::vector<Node> Read(std::string_view text, const std::string& source,
                       const YamlLimits& limits, NodeFile* file) {
  NodeList all;
  ReadYaml(
      text, source,
      [&](Json document, int line) {
        const std::string place = source + ":" + std::to_string(line);
        if (document.is_object() && !document.contains("kind")) {
          AddGroups(document, place, all);
        } else if (Text(document, "kind") == "List") {
          for (const Json& item : List(At(document, "items"))) {
            AddManifest(item, place, limits, all, file);
          }
        } else {
          AddManifest(std::move(document), place, limits, all, file);
        }
      },
      limits);
  std::vector<Node> nodes = all.Take();
  if (nodes.empty()) {
    RefuseNode(source, "holds no node; a cluster needs one at least");
  }
  return nodes;
}

}  // namespace

std::vector<Node> ReadNodes(std::string_view text, const std::string& source,
                            const YamlLimits& limits) {
  return Read(text, source, limits, nullptr);
}

NodeFile ReadNodeFile(std::string_view text, const std::string& source,
                      const YamlLimits& limits) {
  NodeFile file;
  file.nodes = Read(text, source, limits, &file);
  return file;
}

}  // namespace fluxnetes::cluster
