#include <fmt/format.h>

#include <map>
#include <set>

#include "matcher/text_sets.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

using Ids = std::set<std::int64_t>;

// What R says of a node.
struct RNode {
  std::int64_t rank = -1;
  VertexIndex vertex = kNoVertex;
  Ids cores;
  Ids gpus;
};

// The nodes among what was taken that have cores or gpus; those of a node come
// before it.
std::vector<RNode> NodesOf(const ResourceGraph& graph,
                           std::span<const Taken> taken) {
  std::vector<RNode> nodes;
  RNode next;
  for (const Taken& one : taken) {
    const TypeId type = graph.type(one.vertex);
    if (type == types::kCore) {
      next.cores.insert(graph.id(one.vertex));
    } else if (type == types::kGpu) {
      next.gpus.insert(graph.id(one.vertex));
    } else if (type == types::kNode || type == types::kStorageNode) {
      if (next.cores.empty() && next.gpus.empty()) continue;
      next.rank = graph.rank(one.vertex);
      next.vertex = one.vertex;
      nodes.push_back(std::move(next));
      next = RNode{};
    }
  }
  return nodes;
}

std::string ChildrenOf(const RNode& node) {
  std::string text = "{";
  if (!node.cores.empty()) {
    text += fmt::format("\"core\": \"{}\"", WriteIdSet(node.cores));
  }
  if (!node.gpus.empty()) {
    text += fmt::format("{}\"gpu\": \"{}\"", node.cores.empty() ? "" : ", ",
                        WriteIdSet(node.gpus));
  }
  return text + "}";
}

std::string RliteOf(const std::vector<RNode>& nodes) {
  std::map<std::string, Ids> ranks;  // by the text of the children
  for (const RNode& node : nodes) ranks[ChildrenOf(node)].insert(node.rank);
  std::string text = "[";
  for (const auto& [children, ids] : ranks) {
    if (text.size() > 1) text += ", ";
    text += fmt::format("{{\"rank\": \"{}\", \"children\": {}}}",
                        WriteIdSet(ids), children);
  }
  return text + "]";
}

std::string PropertiesOf(const ResourceGraph& graph,
                         const std::vector<RNode>& nodes) {
  std::map<std::string, Ids> ranks;  // by "key" or "key=value"
  for (const RNode& node : nodes) {
    const Properties* properties = graph.PropertiesOf(node.vertex);
    if (properties == nullptr) continue;
    for (const auto& [key, value] : *properties) {
      ranks[value.empty() ? key : key + "=" + value].insert(node.rank);
    }
  }
  if (ranks.empty()) return "";
  std::string text;
  for (const auto& [property, ids] : ranks) {
    text += fmt::format("{}{}: \"{}\"", text.empty() ? "" : ", ",
                        JsonQuoted(property), WriteIdSet(ids));
  }
  return ", \"properties\": {" + text + "}";
}

std::string HostsOf(const ResourceGraph& graph,
                    const std::vector<RNode>& nodes) {
  std::map<std::int64_t, std::string> names;
  for (const RNode& node : nodes) names[node.rank] = graph.Name(node.vertex);
  std::vector<std::string> hosts;
  for (const auto& [rank, name] : names) hosts.push_back(name);
  return WriteHostList(hosts);
}

std::string RankError(const ResourceGraph& graph,
                      const std::vector<RNode>& nodes) {
  for (const RNode& node : nodes) {
    if (node.rank < 0) return graph.Name(node.vertex) + " has no rank";
  }
  return "";
}

}  // namespace

MatchText WriteRlite(const ResourceGraph& graph, std::span<const Taken> taken) {
  const auto nodes = NodesOf(graph, taken);
  if (auto error = RankError(graph, nodes); !error.empty()) {
    return {"", std::move(error)};
  }
  return {RliteOf(nodes), ""};
}

MatchText WriteRv1(MatchFormat format, const ResourceGraph& graph,
                   std::span<const Taken> taken, const MatchTimes& times) {
  const auto nodes = NodesOf(graph, taken);
  if (auto error = RankError(graph, nodes); !error.empty()) {
    return {"", std::move(error)};
  }
  if (nodes.empty()) return {"", "no cores or gpus of a node"};
  std::string text = fmt::format(
      "{{\"version\": 1, \"execution\": {{\"R_lite\": {}, \"nodelist\": "
      "[{}]{}, "
      "\"starttime\": {}, \"expiration\": {}}}",
      RliteOf(nodes), JsonQuoted(HostsOf(graph, nodes)),
      PropertiesOf(graph, nodes), times.start, times.expiration);
  if (!times.queue.empty()) {
    text += fmt::format(
        ", \"attributes\": {{\"system\": {{\"scheduler\": {{\"queue\": "
        "{}}}}}}}",
        JsonQuoted(times.queue));
  }
  if (format != MatchFormat::kRv1Nosched) {
    text += ", \"scheduling\": " +
            WriteJgfObject(graph, taken, format == MatchFormat::kRv1Shorthand);
  }
  return {text + "}", ""};
}

}  // namespace fluxnetes::matcher
