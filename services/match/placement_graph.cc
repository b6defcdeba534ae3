#include "services/match/placement_graph.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "matcher/graph/id_set.h"
#include "matcher/inside/parts_text.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kRoot = "/cluster0";
constexpr std::string_view kGpuEnd = "/gpu";

// The graph as it grows: each vertex once, by its path.
class Graph {
 public:
  Graph() { Add("", kRoot, "cluster", "cluster0", /*exclusive=*/false); }

  // Adds the vertex at the path below `parent`, if it is not there.
  void Add(const std::string& parent, const std::string& path,
           const std::string& type, const std::string& name, bool exclusive,
           std::int64_t size = 1) {
    const auto [known, added] = ids_.try_emplace(path, ids_.size());
    if (!added) {
      nodes_[known->second]["metadata"]["size"] =
          nodes_[known->second]["metadata"]["size"].get<std::int64_t>() + size -
          1;
      return;
    }
    OrderedJson metadata = {{"type", type},
                            {"name", name},
                            {"size", size},
                            {"paths", {{"containment", path}}}};
    if (exclusive) metadata["exclusive"] = true;
    nodes_.push_back({{"id", std::to_string(known->second)},
                      {"metadata", std::move(metadata)}});
    if (!parent.empty())
      edges_.push_back({{"source", std::to_string(ids_.at(parent))},
                        {"target", std::to_string(known->second)}});
  }

  // Adds an amount to the vertex that stands for all of its kind.
  void AddAmount(const std::string& node, const std::string& type,
                 std::int64_t amount) {
    if (amount <= 0) return;
    const std::string path = node + "/" + type;
    const bool known = ids_.contains(path);
    Add(node, path, type, type, false, known ? amount + 1 : amount);
  }

  std::string Text() {
    return OrderedJson{
        {"graph", {{"nodes", std::move(nodes_)}, {"edges", std::move(edges_)}}}}
        .dump();
  }

 private:
  std::map<std::string, std::size_t> ids_;
  OrderedJson nodes_ = OrderedJson::array();
  OrderedJson edges_ = OrderedJson::array();
};

std::string TypeOf(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return std::string(name.substr(0, last + 1));
}

// "core[0-1,7]" as core0, core1 and core7.
std::vector<std::string> NamesIn(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return {std::string(text)};
  const auto set =
      matcher::IdSet::Parse(text.substr(open + 1, text.size() - open - 2));
  const auto ids = set ? set->Ids(matcher::kMaxPartsBytes) : std::nullopt;
  if (!ids) throw matcher::PartsError(std::string(text) + ": is no range");
  std::vector<std::string> names;
  for (const std::int64_t id : *ids)
    names.push_back(std::string(text.substr(0, open)) + std::to_string(id));
  return names;
}

// Adds one of the words of the text: "socket0/core[0-7]", "socket1/".
void AddWord(const std::string& node, std::string_view word, Graph& graph) {
  std::string parent = node;
  if (word.ends_with('/')) word.remove_suffix(1);
  while (!word.empty()) {
    const std::size_t slash = word.find('/');
    const std::string_view step = word.substr(0, slash);
    const bool last = slash == std::string_view::npos;
    for (const std::string& name : NamesIn(step))
      graph.Add(parent, parent + "/" + name, TypeOf(name), name, last);
    parent += "/" + std::string(step);
    word.remove_prefix(last ? word.size() : slash + 1);
  }
}

void AddParts(const std::string& node, std::string_view parts, Graph& graph) {
  matcher::ReadParts(parts, nullptr);  // throws if it is malformed
  while (!parts.empty()) {
    const std::size_t blank = std::min(parts.find(' '), parts.size());
    AddWord(node, parts.substr(0, blank), graph);
    parts.remove_prefix(std::min(blank + 1, parts.size()));
  }
}

}  // namespace

std::string PlacementGraph(std::span<const PodOnNode> pods, bool whole_nodes) {
  Graph graph;
  for (const PodOnNode& pod : pods) {
    const std::string path = std::string(kRoot) + "/" + pod.node;
    graph.Add(kRoot, path, "node", pod.node, whole_nodes);
    if (!pod.parts.empty()) {
      AddParts(path, pod.parts, graph);
      continue;
    }
    graph.AddAmount(path, "core", pod.resources.cpu_milli / 1'000);
    graph.AddAmount(path, "memory", pod.resources.memory_bytes >> 20);
    for (const auto& [name, amount] : pod.resources.extended) {
      if (name.ends_with(kGpuEnd)) graph.AddAmount(path, "gpu", amount);
    }
  }
  return graph.Text();
}

std::string PlacementGraph(const workers::JobspecMatch& match) {
  std::vector<PodOnNode> pods;
  for (const workers::JobspecMatch::Pod& pod : match.pods)
    pods.push_back({pod.node, pod.parts, match.jobspec.resources});
  return PlacementGraph(pods, match.jobspec.topology.whole_nodes);
}

}  // namespace fluxnetes::services
