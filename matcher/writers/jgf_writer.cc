#include <fmt/format.h>

#include <iterator>
#include <unordered_set>

#include "matcher/jgf.h"
#include "matcher/text_sets.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

using Out = std::back_insert_iterator<std::string>;

void WriteProperties(const ResourceGraph& graph, VertexIndex v, Out out) {
  const auto* properties = graph.PropertiesOf(v);
  if (properties == nullptr || properties->empty()) return;
  const char* separator = "";
  fmt::format_to(out, ", \"properties\": {{");
  for (const auto& [key, value] : *properties) {
    fmt::format_to(out, "{}{}: {}", separator, JsonQuoted(key),
                   JsonQuoted(value));
    separator = ", ";
  }
  fmt::format_to(out, "}}");
}

void WritePaths(const ResourceGraph& graph, VertexIndex v, Out out) {
  const char* separator = "";
  fmt::format_to(out, ", \"paths\": {{");
  for (SubsystemId s = 0; s < graph.subsystems().size(); ++s) {
    const std::string path = graph.Path(v, s);
    if (path.empty()) continue;
    fmt::format_to(out, "{}{}: {}", separator,
                   JsonQuoted(graph.subsystems()[s]), JsonQuoted(path));
    separator = ", ";
  }
  fmt::format_to(out, "}}");
}

void WriteNode(const ResourceGraph& graph, const Taken& taken, bool status,
               Out out) {
  const VertexIndex v = taken.vertex;
  const std::string& type = graph.TypeName(v);
  const std::string& basename = graph.Basename(v);
  const std::int64_t id = graph.id(v);
  fmt::format_to(out, "{{\"id\": \"{}\", \"metadata\": {{\"type\": {}",
                 graph.uniq_id(v), JsonQuoted(type));
  if (basename != type) {
    fmt::format_to(out, ", \"basename\": {}", JsonQuoted(basename));
  }
  if (graph.Name(v) != basename + std::to_string(id)) {
    fmt::format_to(out, ", \"name\": {}", JsonQuoted(graph.Name(v)));
  }
  fmt::format_to(out, ", \"id\": {}, \"rank\": {}", id, graph.rank(v));
  if (status && !graph.up(v)) fmt::format_to(out, ", \"status\": 1");
  WriteProperties(graph, v, out);
  if (!graph.Unit(v).empty()) {
    fmt::format_to(out, ", \"unit\": {}", JsonQuoted(graph.Unit(v)));
  }
  if (taken.exclusive) fmt::format_to(out, ", \"exclusive\": true");
  if (taken.units != 1) fmt::format_to(out, ", \"size\": {}", taken.units);
  WritePaths(graph, v, out);
  if (taken.note && !taken.note->label.empty()) {
    fmt::format_to(out, ", \"ephemeral\": {{\"label\": {}}}",
                   JsonQuoted(taken.note->label));
  }
  if (taken.note && !taken.note->filter.empty()) {
    fmt::format_to(out, ", \"agfilter\": {}", taken.note->filter);
  }
  fmt::format_to(out, "}}}}");
}

void WriteEdge(const ResourceGraph& graph, EdgeIndex e, Out out) {
  fmt::format_to(out, "{{\"source\": \"{}\", \"target\": \"{}\"",
                 graph.uniq_id(graph.source(e)),
                 graph.uniq_id(graph.target(e)));
  if (graph.subsystem(e) != kContainment) {
    fmt::format_to(out, ", \"metadata\": {{\"subsystem\": {}}}",
                   JsonQuoted(graph.subsystems()[graph.subsystem(e)]));
  }
  fmt::format_to(out, "}}");
}

std::string WriteGraph(const ResourceGraph& graph, std::span<const Taken> taken,
                       bool shorthand, bool status) {
  std::unordered_set<VertexIndex> whole;  // what stands below is left out
  if (shorthand) {
    for (const Taken& one : taken) {
      if (one.exclusive) whole.insert(one.vertex);
    }
  }
  std::string text;
  std::string edges;
  const Out out(text);
  bool left_out = false;
  const char* separator = "";
  const char* edge_separator = "";
  fmt::format_to(out, "{{\"graph\": {{\"nodes\": [");
  for (const Taken& one : taken) {
    if (one.edge != kNoEdge && whole.contains(graph.source(one.edge))) {
      left_out = true;
      continue;
    }
    fmt::format_to(out, "{}", separator);
    WriteNode(graph, one, status, out);
    separator = ", ";
    if (one.edge == kNoEdge) continue;
    edges += edge_separator;
    WriteEdge(graph, one.edge, Out(edges));
    edge_separator = ", ";
  }
  fmt::format_to(out, "], \"edges\": [{}]}}", edges);
  if (left_out) fmt::format_to(out, ", \"writer\": \"fluxion:jgf_shorthand\"");
  fmt::format_to(out, "}}");
  return text;
}

}  // namespace

std::string WriteJgfObject(const ResourceGraph& graph,
                           std::span<const Taken> taken, bool shorthand) {
  return WriteGraph(graph, taken, shorthand, /*status=*/false);
}

std::string WriteJgf(const ResourceGraph& graph, std::span<const Taken> taken) {
  if (taken.empty()) return "";
  return WriteJgfObject(graph, taken, false) + "\n";
}

std::string WriteJgf(const ResourceGraph& graph) {
  std::vector<Taken> all;
  for (const VertexIndex v : graph.PostOrder(graph.root())) {
    all.push_back({v, graph.FirstIn(v), graph.units(v), false});
  }
  return WriteGraph(graph, all, false, /*status=*/true) + "\n";
}

}  // namespace fluxnetes::matcher
