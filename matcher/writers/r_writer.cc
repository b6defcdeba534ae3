#include <algorithm>
#include <tuple>
#include <vector>

#include "matcher/graph/text_sets.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

using Ids = std::vector<std::int64_t>;

// What R has of a node.
struct RNode {
  std::int64_t rank = -1;
  VertexIndex vertex = kNoVertex;
  std::size_t begin = 0;  // of the text of its children
  std::size_t end = 0;
};

// The taken nodes that have taken cores or gpus.
struct RNodes {
  std::vector<RNode> nodes;
  std::string texts;  // {"core": "0-3", "gpu": "0"}, one after the other

  std::string_view ChildrenOf(const RNode& node) const {
    return std::string_view(texts).substr(node.begin, node.end - node.begin);
  }
};

void AppendSorted(Ids& ids, std::string& text) {
  if (!std::is_sorted(ids.begin(), ids.end())) {
    std::sort(ids.begin(), ids.end());
  }
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  text += '"';
  AppendIdSet(ids, text);
  text += '"';
}

void AppendChildren(Ids& cores, Ids& gpus, std::string& text) {
  text += '{';
  if (!cores.empty()) {
    text += "\"core\": ";
    AppendSorted(cores, text);
    if (!gpus.empty()) text += ", ";
  }
  if (!gpus.empty()) {
    text += "\"gpu\": ";
    AppendSorted(gpus, text);
  }
  text += '}';
}

// The cores and gpus of a node come before the node.
RNodes NodesOf(const ResourceGraph& graph, std::span<const Taken> taken) {
  RNodes found;
  Ids cores;
  Ids gpus;
  for (const Taken& one : taken) {
    const TypeId type = graph.type(one.vertex);
    if (type == types::kCore) {
      cores.push_back(graph.id(one.vertex));
    } else if (type == types::kGpu) {
      gpus.push_back(graph.id(one.vertex));
    } else if (type == types::kNode || type == types::kStorageNode) {
      if (cores.empty() && gpus.empty()) continue;
      const std::size_t begin = found.texts.size();
      AppendChildren(cores, gpus, found.texts);
      found.nodes.push_back(
          {graph.rank(one.vertex), one.vertex, begin, found.texts.size()});
      cores.clear();
      gpus.clear();
    }
  }
  return found;
}

// Calls `write` with each text and the ranks that have it. Entries are sorted.
template <typename Entries, typename Write>
void ForEachText(const Entries& entries, Write write) {
  Ids ranks;
  for (auto at = entries.begin(); at != entries.end();) {
    const std::string_view text = at->first;
    ranks.clear();
    for (; at != entries.end() && at->first == text; ++at) {
      if (ranks.empty() || ranks.back() != at->second) {
        ranks.push_back(at->second);
      }
    }
    write(text, ranks);
  }
}

void AppendRlite(const RNodes& of, std::string& text) {
  std::vector<std::pair<std::string_view, std::int64_t>> entries;
  entries.reserve(of.nodes.size());
  for (const RNode& node : of.nodes) {
    entries.emplace_back(of.ChildrenOf(node), node.rank);
  }
  std::sort(entries.begin(), entries.end());
  text += '[';
  const char* separator = "";
  ForEachText(entries, [&](std::string_view children, const Ids& ranks) {
    text += separator;
    separator = ", ";
    text += "{\"rank\": \"";
    AppendIdSet(ranks, text);
    text += "\", \"children\": ";
    text += children;
    text += '}';
  });
  text += ']';
}

// Properties are written as "key" or "key=value".
void AppendProperties(const ResourceGraph& graph, const RNodes& of,
                      std::string& text) {
  std::vector<std::pair<std::string, std::int64_t>> entries;
  for (const RNode& node : of.nodes) {
    const Properties* properties = graph.PropertiesOf(node.vertex);
    if (properties == nullptr) continue;
    for (const auto& [key, value] : *properties) {
      entries.emplace_back(value.empty() ? key : key + "=" + value, node.rank);
    }
  }
  if (entries.empty()) return;
  std::sort(entries.begin(), entries.end());
  const char* separator = ", \"properties\": {";
  ForEachText(entries, [&](std::string_view property, const Ids& ranks) {
    text += separator;
    separator = ", ";
    AppendJsonQuoted(property, text);
    text += ": \"";
    AppendIdSet(ranks, text);
    text += '"';
  });
  text += '}';
}

// Writes the hosts in order of rank, one for each; of several, the last one
// taken.
void AppendHosts(const ResourceGraph& graph, std::vector<RNode> nodes,
                 std::string& text) {
  std::stable_sort(
      nodes.begin(), nodes.end(),
      [](const RNode& a, const RNode& b) { return a.rank < b.rank; });
  std::vector<std::string_view> hosts;
  hosts.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i + 1 < nodes.size() && nodes[i + 1].rank == nodes[i].rank) continue;
    hosts.push_back(graph.Name(nodes[i].vertex));
  }
  std::string list;
  AppendHostList(hosts, list);
  AppendJsonQuoted(list, text);
}

std::string RankError(const ResourceGraph& graph, const RNodes& of) {
  for (const RNode& node : of.nodes) {
    if (node.rank < 0) return graph.Name(node.vertex) + " has no rank";
  }
  return "";
}

}  // namespace

MatchText WriteRlite(const ResourceGraph& graph, std::span<const Taken> taken) {
  const RNodes nodes = NodesOf(graph, taken);
  if (auto error = RankError(graph, nodes); !error.empty()) {
    return {"", std::move(error)};
  }
  MatchText written;
  AppendRlite(nodes, written.text);
  return written;
}

MatchText WriteRv1(MatchFormat format, const ResourceGraph& graph,
                   std::span<const Taken> taken, const MatchTimes& times) {
  const RNodes nodes = NodesOf(graph, taken);
  if (auto error = RankError(graph, nodes); !error.empty()) {
    return {"", std::move(error)};
  }
  if (nodes.nodes.empty()) return {};
  MatchText written;
  std::string& text = written.text;
  text += "{\"version\": 1, \"execution\": {\"R_lite\": ";
  AppendRlite(nodes, text);
  text += ", \"nodelist\": [";
  AppendHosts(graph, nodes.nodes, text);
  text += ']';
  AppendProperties(graph, nodes, text);
  text += ", \"starttime\": ";
  AppendNumber(times.start, text);
  text += ", \"expiration\": ";
  AppendNumber(times.expiration, text);
  text += '}';
  if (!times.queue.empty() && format != MatchFormat::kRv1Nosched) {
    text += ", \"attributes\": {\"system\": {\"scheduler\": {\"queue\": ";
    AppendJsonQuoted(times.queue, text);
    text += "}}}";
  }
  if (format != MatchFormat::kRv1Nosched) {
    text += ", \"scheduling\": ";
    AppendJgfObject(graph, taken, format == MatchFormat::kRv1Shorthand, text);
  }
  text += '}';
  return written;
}

}  // namespace fluxnetes::matcher
