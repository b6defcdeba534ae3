#include "matcher/graph/text_sets.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

void AppendLine(const ResourceGraph& graph, const Taken& one,
                std::string_view how, std::string& text) {
  text += "      ";
  for (int i = graph.Depth(one.vertex); i >= 0; --i) text += "---";
  text += graph.Name(one.vertex);
  text += '[';
  AppendNumber(one.units, text);
  text += ':';
  text += how;
  text += "]\n";
}

}  // namespace

std::string WriteSimple(const ResourceGraph& graph,
                        std::span<const Taken> taken) {
  std::string text;
  for (const Taken& one : taken) {
    AppendLine(graph, one, one.exclusive ? "x" : "s", text);
  }
  return text;
}

std::string WritePrettySimple(const ResourceGraph& graph,
                              std::span<const Taken> taken) {
  std::string text;
  for (auto one = taken.rbegin(); one != taken.rend(); ++one) {
    AppendLine(graph, *one, one->exclusive ? "exclusive" : "shared", text);
  }
  return text;
}

}  // namespace fluxnetes::matcher
