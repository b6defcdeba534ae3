#include "matcher/readers/rv1exec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_set>

#include "matcher/graph/host_list.h"
#include "matcher/graph/id_set.h"
#include "matcher/readers/json_place.h"

namespace fluxnetes::matcher {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRanks = 1'000'000;
constexpr std::size_t kMaxChildren = 1'000'000;

using Ids = std::vector<std::int64_t>;

// The ranks of an entry of R_lite, and the ids of their children by type, in
// the order of the text.
struct Entry {
  Ids ranks;
  std::vector<std::pair<std::string, Ids>> children;
};

struct R {
  std::vector<Entry> entries;
  Ids ranks;  // of all entries
  std::vector<std::string> hosts;
  std::map<std::int64_t, std::vector<std::string>> properties;  // by rank
  RTimes times;

  const std::string& HostOf(std::int64_t rank) const {
    return hosts[std::lower_bound(ranks.begin(), ranks.end(), rank) -
                 ranks.begin()];
  }
};

Ids ReadIds(const JsonPlace& place, const char* key, std::size_t most) {
  const std::string text = place.Text(key);
  const auto set = IdSet::Parse(text);
  if (!set) place.Fail(key, "is not a set of numbers like 0-3,7");
  auto ids = set->Ids(most);
  if (!ids) place.Fail(key, fmt::format("is more than {} numbers", most));
  return *std::move(ids);
}

Time ReadTime(const JsonPlace& place, const char* key) {
  const double seconds = place.Number(key, 0);
  if (!(seconds >= 0) || seconds > 1e15) {
    place.Fail(key, "is not a time in seconds");
  }
  return static_cast<Time>(seconds);
}

class Rv1ExecReader {
 public:
  R Read(const json& document);

 private:
  void ReadEntries(const JsonPlace& execution);
  void ReadHosts(const JsonPlace& execution);
  void ReadProperties(const JsonPlace& execution);

  R r_;
};

void Rv1ExecReader::ReadEntries(const JsonPlace& execution) {
  const json& list = execution.List("R_lite");
  std::size_t children = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonPlace place(list[i], fmt::format("execution.R_lite[{}]", i));
    Entry entry;
    if (!place.value().is_object()) place.Fail("is not an object");
    entry.ranks = ReadIds(place, "rank", kMaxRanks);
    const JsonPlace types(place.Object("children"), "children", place);
    for (const auto& [type, ids] : types.value().items()) {
      if (type.empty()) types.Fail("has a type without a name");
      entry.children.emplace_back(type,
                                  ReadIds(types, type.c_str(), kMaxChildren));
      children += entry.children.back().second.size() * entry.ranks.size();
      if (children > kMaxVertices) types.Fail("makes too many vertices");
    }
    r_.ranks.insert(r_.ranks.end(), entry.ranks.begin(), entry.ranks.end());
    r_.entries.push_back(std::move(entry));
  }
  std::sort(r_.ranks.begin(), r_.ranks.end());
  r_.ranks.erase(std::unique(r_.ranks.begin(), r_.ranks.end()), r_.ranks.end());
  if (!r_.ranks.empty() &&
      r_.ranks.back() > std::numeric_limits<std::int32_t>::max()) {
    execution.Fail("R_lite", "has a rank that is too high");
  }
}

void Rv1ExecReader::ReadHosts(const JsonPlace& execution) {
  const json& list = execution.List("nodelist");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonPlace place(list[i], fmt::format("execution.nodelist[{}]", i));
    if (!list[i].is_string()) place.Fail("is not a text");
    const auto hosts = HostList::Parse(list[i].get<std::string>());
    if (!hosts) place.Fail("is not a list of hosts like node[0-3]");
    const auto names =
        hosts->Hosts(kMaxRanks - std::min(kMaxRanks - 1, r_.hosts.size()));
    if (!names) place.Fail(fmt::format("is more than {} hosts", kMaxRanks));
    r_.hosts.insert(r_.hosts.end(), names->begin(), names->end());
  }
  if (r_.hosts.size() < r_.ranks.size()) {
    execution.Fail("nodelist", fmt::format("has {} hosts for {} ranks",
                                           r_.hosts.size(), r_.ranks.size()));
  }
}

void Rv1ExecReader::ReadProperties(const JsonPlace& execution) {
  if (!execution.Has("properties")) return;
  const JsonPlace properties(execution.Object("properties"), "properties",
                             execution);
  std::size_t count = 0;
  for (const auto& [key, ranks] : properties.value().items()) {
    for (const std::int64_t rank :
         ReadIds(properties, key.c_str(), kMaxRanks)) {
      r_.properties[rank].push_back(key);
      if (++count > kMaxChildren) properties.Fail("are too many");
    }
  }
}

R Rv1ExecReader::Read(const json& document) {
  const JsonPlace top(document, "document");
  if (!document.is_object()) top.Fail("is not an object");
  top.Integer("version", 1, 1);
  const JsonPlace execution(top.Object("execution"), "execution");
  ReadEntries(execution);
  ReadHosts(execution);
  ReadProperties(execution);
  r_.times = {ReadTime(execution, "starttime"),
              ReadTime(execution, "expiration")};
  return std::move(r_);
}

R ReadR(std::string_view text) {
  const json document = ParseJson(text);
  return Rv1ExecReader().Read(document);
}

// A host is a node; its id is the digits at its end.
Vertex NodeOf(const std::string& host, std::int64_t rank) {
  Vertex node;
  node.type = "node";
  node.name = node.basename = host;
  node.rank = rank;
  const std::string_view digits = TrailingDigits(host);
  if (digits.empty()) return node;
  const auto id = ParseInteger(digits);
  if (!id) {
    throw GraphError("execution.nodelist: the number at the end of " + host +
                     " is too large");
  }
  node.id = *id;
  if (digits.size() < host.size()) {
    node.basename = host.substr(0, host.size() - digits.size());
  }
  return node;
}

}  // namespace

ResourceGraph ReadRv1exec(std::string_view text, RTimes* times) {
  const R r = ReadR(text);
  if (times != nullptr) *times = r.times;
  ResourceGraph graph;
  const auto add = [&](Vertex& vertex, VertexIndex parent) {
    vertex.uniq_id = graph.size();
    const VertexIndex v = graph.AddVertex(vertex);
    if (parent != kNoVertex) graph.AddEdge(parent, v);
    return v;
  };
  Vertex cluster;
  cluster.type = cluster.basename = "cluster";
  cluster.name = "cluster0";
  cluster.id = 0;
  const VertexIndex root = add(cluster, kNoVertex);
  graph.SetRoot(root);
  std::map<std::int64_t, VertexIndex> nodes;
  for (const Entry& entry : r.entries) {
    for (const std::int64_t rank : entry.ranks) {
      auto node = nodes.find(rank);
      if (node == nodes.end()) {
        Vertex vertex = NodeOf(r.HostOf(rank), rank);
        if (const auto known = r.properties.find(rank);
            known != r.properties.end()) {
          for (const std::string& key : known->second) {
            vertex.properties[key] = "";
          }
        }
        node = nodes.emplace(rank, add(vertex, root)).first;
      }
      for (const auto& [type, ids] : entry.children) {
        Vertex child;
        child.type = child.basename = type;
        child.rank = rank;
        for (const std::int64_t id : ids) {
          child.id = id;
          child.name = type + std::to_string(id);
          add(child, node->second);
        }
      }
    }
  }
  return graph;
}

HeldParts FindRv1exec(std::string_view text, const ResourceGraph& graph) {
  const R r = ReadR(text);
  const auto find = [&](const std::string& path, std::int64_t rank) {
    for (const VertexIndex v : graph.FindAll(path)) {
      if (graph.rank(v) == rank) return v;
    }
    throw GraphError(
        fmt::format("{} of rank {} is not in the graph", path, rank));
  };
  HeldParts held;
  std::map<std::int64_t, std::size_t> counts;  // vertices found of each rank
  std::unordered_set<VertexIndex> seen;
  const auto take = [&](VertexIndex v) {
    if (!seen.insert(v).second) {
      throw GraphError(graph.Path(v) + " is there twice");
    }
    held.parts.push_back({v, graph.units(v), true});
    held.edges.push_back({graph.FirstIn(v), graph.units(v), true});
    ++counts[graph.rank(v)];
  };
  for (const Entry& entry : r.entries) {
    for (const std::int64_t rank : entry.ranks) {
      const std::string path = "/cluster0/" + r.HostOf(rank);
      for (const auto& [type, ids] : entry.children) {
        for (const std::int64_t id : ids) {
          take(find(path + "/" + type + std::to_string(id), rank));
        }
      }
    }
  }
  for (const std::int64_t rank : r.ranks) {
    const VertexIndex node = find("/cluster0/" + r.HostOf(rank), rank);
    // The job has a node if it has everything else of the rank.
    if (counts[rank] + 1 == graph.OfRank(rank).size()) {
      take(node);
    } else {
      held.edges.push_back({graph.FirstIn(node), graph.units(node), true});
    }
  }
  held.edges.push_back({kNoEdge, graph.units(graph.root()), false});
  return held;
}

std::vector<std::int64_t> RanksOfRv1exec(std::string_view text) {
  const json document = ParseJson(text);
  const JsonPlace top(document, "document");
  const JsonPlace execution(top.Object("execution"), "execution");
  const json& list = execution.List("R_lite");
  Ids ranks;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonPlace place(list[i], fmt::format("execution.R_lite[{}]", i));
    if (!place.value().is_object()) place.Fail("is not an object");
    const Ids more = ReadIds(place, "rank", kMaxRanks);
    ranks.insert(ranks.end(), more.begin(), more.end());
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace fluxnetes::matcher
