#include <fmt/format.h>

#include <unordered_set>

#include "matcher/graph/text_sets.h"
#include "matcher/readers/jgf.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

void AppendField(std::string_view name, std::string_view value,
                 std::string& text) {
  text += ", \"";
  text += name;
  text += "\": ";
  AppendJsonQuoted(value, text);
}

void AppendField(std::string_view name, std::int64_t value, std::string& text) {
  text += ", \"";
  text += name;
  text += "\": ";
  AppendNumber(value, text);
}

void AppendProperties(const ResourceGraph& graph, VertexIndex v,
                      std::string& text) {
  const auto* properties = graph.PropertiesOf(v);
  if (properties == nullptr || properties->empty()) return;
  const char* separator = ", \"properties\": {";
  for (const auto& [key, value] : *properties) {
    text += separator;
    separator = ", ";
    AppendJsonQuoted(key, text);
    text += ": ";
    AppendJsonQuoted(value, text);
  }
  text += '}';
}

void AppendPaths(const ResourceGraph& graph, VertexIndex v, std::string& text) {
  const char* separator = "";
  text += ", \"paths\": {";
  for (SubsystemId s = 0; s < graph.subsystems().size(); ++s) {
    const std::string path = graph.Path(v, s);
    if (path.empty()) continue;
    text += separator;
    separator = ", ";
    AppendJsonQuoted(graph.subsystems()[s], text);
    text += ": ";
    AppendJsonQuoted(path, text);
  }
  text += '}';
}

// True if the name is what a reader makes of basename and id.
bool IsPlainName(const std::string& name, const std::string& basename,
                 std::int64_t id) {
  const fmt::format_int digits(id);
  return name.size() == basename.size() + digits.size() &&
         name.starts_with(basename) &&
         name.ends_with({digits.data(), digits.size()});
}

void AppendNode(const ResourceGraph& graph, const Taken& taken, bool status,
                std::string& text) {
  const VertexIndex v = taken.vertex;
  const std::string& type = graph.TypeName(v);
  const std::string& basename = graph.Basename(v);
  const std::int64_t id = graph.id(v);
  text += "{\"id\": \"";
  AppendNumber(graph.uniq_id(v), text);
  text += "\", \"metadata\": {\"type\": ";
  AppendJsonQuoted(type, text);
  if (basename != type) AppendField("basename", basename, text);
  if (!IsPlainName(graph.Name(v), basename, id)) {
    AppendField("name", graph.Name(v), text);
  }
  AppendField("id", id, text);
  AppendField("rank", graph.rank(v), text);
  if (status && !graph.up(v)) AppendField("status", 1, text);
  AppendProperties(graph, v, text);
  if (!graph.Unit(v).empty()) AppendField("unit", graph.Unit(v), text);
  if (taken.exclusive) text += ", \"exclusive\": true";
  if (taken.units != 1) AppendField("size", taken.units, text);
  AppendPaths(graph, v, text);
  if (taken.note && !taken.note->label.empty()) {
    text += ", \"ephemeral\": {\"label\": ";
    AppendJsonQuoted(taken.note->label, text);
    text += '}';
  }
  if (taken.note && !taken.note->filter.empty()) {
    text += ", \"agfilter\": ";
    text += taken.note->filter;
  }
  text += "}}";
}

void AppendEdge(const ResourceGraph& graph, EdgeIndex e, std::string& text) {
  text += "{\"source\": \"";
  AppendNumber(graph.uniq_id(graph.source(e)), text);
  text += "\", \"target\": \"";
  AppendNumber(graph.uniq_id(graph.target(e)), text);
  text += '"';
  if (graph.subsystem(e) != kContainment) {
    text += ", \"metadata\": {\"subsystem\": ";
    AppendJsonQuoted(graph.subsystems()[graph.subsystem(e)], text);
    text += '}';
  }
  text += '}';
}

void AppendGraph(const ResourceGraph& graph, std::span<const Taken> taken,
                 bool shorthand, bool status, std::string& text) {
  std::unordered_set<VertexIndex> whole;  // what is below these is left out
  if (shorthand) {
    for (const Taken& one : taken) {
      if (one.exclusive) whole.insert(one.vertex);
    }
  }
  const auto left_out = [&](const Taken& one) {
    return one.edge != kNoEdge && whole.contains(graph.source(one.edge));
  };
  bool any_left_out = false;
  const char* separator = "";
  text += "{\"graph\": {\"nodes\": [";
  for (const Taken& one : taken) {
    if (left_out(one)) {
      any_left_out = true;
      continue;
    }
    text += separator;
    separator = ", ";
    AppendNode(graph, one, status, text);
  }
  text += "], \"edges\": [";
  separator = "";
  for (const Taken& one : taken) {
    if (one.edge == kNoEdge || left_out(one)) continue;
    text += separator;
    separator = ", ";
    AppendEdge(graph, one.edge, text);
  }
  text += "]}";
  if (any_left_out) text += ", \"writer\": \"fluxion:jgf_shorthand\"";
  text += '}';
}

}  // namespace

void AppendJgfObject(const ResourceGraph& graph, std::span<const Taken> taken,
                     bool shorthand, std::string& text) {
  AppendGraph(graph, taken, shorthand, /*status=*/false, text);
}

std::string WriteJgf(const ResourceGraph& graph, std::span<const Taken> taken) {
  std::string text;
  if (taken.empty()) return text;
  AppendJgfObject(graph, taken, false, text);
  text += '\n';
  return text;
}

std::string WriteJgf(const ResourceGraph& graph) {
  std::vector<Taken> all;
  for (const VertexIndex v : graph.PostOrder(graph.root())) {
    all.push_back({v, graph.FirstIn(v), graph.units(v), false});
  }
  std::string text;
  AppendGraph(graph, all, false, /*status=*/true, text);
  text += '\n';
  return text;
}

}  // namespace fluxnetes::matcher
