#include <fmt/format.h>

#include <algorithm>

#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

std::string LineOf(const ResourceGraph& graph, const Taken& one,
                   std::string_view how) {
  std::string line = "      ";
  for (int i = graph.Depth(one.vertex); i >= 0; --i) line += "---";
  return line +
         fmt::format("{}[{}:{}]\n", graph.Name(one.vertex), one.units, how);
}

}  // namespace

std::string WriteSimple(const ResourceGraph& graph,
                        std::span<const Taken> taken) {
  std::string text;
  for (const Taken& one : taken) {
    text += LineOf(graph, one, one.exclusive ? "x" : "s");
  }
  return text;
}

std::string WritePrettySimple(const ResourceGraph& graph,
                              std::span<const Taken> taken) {
  std::string text;
  for (auto one = taken.rbegin(); one != taken.rend(); ++one) {
    text += LineOf(graph, *one, one->exclusive ? "exclusive" : "shared");
  }
  return text;
}

}  // namespace fluxnetes::matcher
