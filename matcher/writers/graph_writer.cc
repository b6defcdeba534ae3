#include "matcher/writers/graph_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <map>

#include "matcher/writers/clean_text.h"

namespace fluxnetes::matcher {
namespace {

using Out = std::back_insert_iterator<std::string>;

template <typename Visit>
void ForEachVertex(const ResourceGraph& graph, const Visit& visit) {
  for (VertexIndex v = 0; v < graph.size(); ++v) {
    if (!graph.detached(v)) visit(v);
  }
}

template <typename Visit>
void ForEachEdge(const ResourceGraph& graph, const Visit& visit) {
  ForEachVertex(graph, [&](VertexIndex v) {
    for (SubsystemId s = 0; s < graph.subsystems().size(); ++s) {
      for (EdgeIndex e = graph.FirstOut(v, s); e != kNoEdge;
           e = graph.NextOut(e)) {
        if (!graph.detached(graph.target(e))) visit(e);
      }
    }
  });
}

struct GraphKey {
  const char* id;
  const char* type;
};
constexpr GraphKey kVertexKeys[] = {
    {"type", "string"}, {"basename", "string"}, {"name", "string"},
    {"unit", "string"}, {"id", "long"},         {"uniq_id", "long"},
    {"rank", "long"},   {"size", "long"},       {"status", "string"},
    {"path", "string"}};

// Returns the keys of all properties, and the names of their data.
std::map<std::string, std::string> PropertyKeys(const ResourceGraph& graph) {
  std::map<std::string, std::string> keys;
  ForEachVertex(graph, [&](VertexIndex v) {
    const Properties* properties = graph.PropertiesOf(v);
    if (properties == nullptr) return;
    for (const auto& property : *properties) keys[property.first];
  });
  int number = 0;
  for (auto& [key, id] : keys) id = fmt::format("property{}", number++);
  return keys;
}

void WriteKeys(const std::map<std::string, std::string>& properties, Out out) {
  constexpr std::string_view kLine =
      "  <key id=\"{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n";
  for (const GraphKey& key : kVertexKeys) {
    fmt::format_to(out, kLine, key.id, "node", key.id, key.type);
  }
  for (const auto& [key, id] : properties) {
    fmt::format_to(out, kLine, id, "node", "property:" + XmlText(key),
                   "string");
  }
  fmt::format_to(out, kLine, "subsystem", "edge", "subsystem", "string");
}

void WriteData(const char* key, std::string_view value, Out out) {
  fmt::format_to(out, "<data key=\"{}\">{}</data>", key, XmlText(value));
}

void WriteVertex(const ResourceGraph& graph, VertexIndex v,
                 const std::map<std::string, std::string>& keys, Out out) {
  const auto number = [&](const char* key, std::int64_t value) {
    WriteData(key, std::to_string(value), out);
  };
  fmt::format_to(out, "    <node id=\"v{}\">", v);
  WriteData("type", graph.TypeName(v), out);
  WriteData("basename", graph.Basename(v), out);
  WriteData("name", graph.Name(v), out);
  if (!graph.Unit(v).empty()) WriteData("unit", graph.Unit(v), out);
  number("id", graph.id(v));
  number("uniq_id", graph.uniq_id(v));
  number("rank", graph.rank(v));
  number("size", graph.units(v));
  WriteData("status", graph.up(v) ? "up" : "down", out);
  WriteData("path", graph.Path(v), out);
  if (const Properties* properties = graph.PropertiesOf(v)) {
    for (const auto& [key, value] : *properties) {
      WriteData(keys.at(key).c_str(), value, out);
    }
  }
  fmt::format_to(out, "</node>\n");
}

// Returns a dot string for a label, in which Graphviz replaces HTML entities
// and escapes of its own.
std::string DotQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : CleanText(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n' || c == '\r') {
      quoted += "\\n";
    } else if (c == '&') {
      quoted += "&amp;";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

std::string WriteGraphMl(const ResourceGraph& graph) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  const Out out(text);
  const auto keys = PropertyKeys(graph);
  WriteKeys(keys, out);
  fmt::format_to(out, "  <graph edgedefault=\"directed\">\n");
  ForEachVertex(graph,
                [&](VertexIndex v) { WriteVertex(graph, v, keys, out); });
  ForEachEdge(graph, [&](EdgeIndex e) {
    fmt::format_to(out, "    <edge source=\"v{}\" target=\"v{}\">",
                   graph.source(e), graph.target(e));
    WriteData("subsystem", graph.subsystems()[graph.subsystem(e)], out);
    fmt::format_to(out, "</edge>\n");
  });
  fmt::format_to(out, "  </graph>\n</graphml>\n");
  return text;
}

std::string WriteDot(const ResourceGraph& graph) {
  std::string text =
      "digraph resources {\n"
      "  node [shape=box, style=rounded];\n";
  const Out out(text);
  ForEachVertex(graph, [&](VertexIndex v) {
    std::string label = graph.Name(v);
    if (graph.units(v) != 1 || !graph.Unit(v).empty()) {
      label += fmt::format("\n{}", graph.units(v));
      if (!graph.Unit(v).empty()) label += " " + graph.Unit(v);
    }
    fmt::format_to(out, "  v{} [label={}{}];\n", v, DotQuoted(label),
                   graph.up(v) ? "" : ", color=grey, fontcolor=grey");
  });
  ForEachEdge(graph, [&](EdgeIndex e) {
    fmt::format_to(out, "  v{} -> v{}", graph.source(e), graph.target(e));
    if (graph.subsystem(e) != kContainment) {
      fmt::format_to(out, " [label={}, style=dashed]",
                     DotQuoted(graph.subsystems()[graph.subsystem(e)]));
    }
    fmt::format_to(out, ";\n");
  });
  fmt::format_to(out, "}}\n");
  return text;
}

}  // namespace fluxnetes::matcher
