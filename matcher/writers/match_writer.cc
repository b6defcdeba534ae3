#include "matcher/writers/match_writer.h"

#include <array>
#include <utility>

namespace fluxnetes::matcher {
namespace {

constexpr std::array<std::pair<std::string_view, MatchFormat>, 8> kFormatNames{{
    {"simple", MatchFormat::kSimple},
    {"pretty_simple", MatchFormat::kPrettySimple},
    {"jgf", MatchFormat::kJgf},
    {"jgf_shorthand", MatchFormat::kJgfShorthand},
    {"rlite", MatchFormat::kRlite},
    {"rv1", MatchFormat::kRv1},
    {"rv1_nosched", MatchFormat::kRv1Nosched},
    {"rv1_shorthand", MatchFormat::kRv1Shorthand},
}};

MatchText Line(MatchText of) {
  if (!of.text.empty()) of.text += '\n';
  return of;
}

}  // namespace

std::optional<MatchFormat> ParseMatchFormat(std::string_view name) {
  for (const auto& [known, format] : kFormatNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

MatchText WriteMatch(MatchFormat format, const ResourceGraph& graph,
                     std::span<const Taken> taken, const MatchTimes& times) {
  if (taken.empty() && format != MatchFormat::kRlite) return {};
  switch (format) {
    case MatchFormat::kSimple:
      return {WriteSimple(graph, taken), ""};
    case MatchFormat::kPrettySimple:
      return {WritePrettySimple(graph, taken), ""};
    case MatchFormat::kJgf:
    case MatchFormat::kJgfShorthand: {
      MatchText jgf;
      AppendJgfObject(graph, taken, format == MatchFormat::kJgfShorthand,
                      jgf.text);
      return Line(std::move(jgf));
    }
    case MatchFormat::kRlite: {
      if (taken.empty()) return {"", "nothing was found"};
      MatchText rlite = WriteRlite(graph, taken);
      if (rlite.text == "[]") return {"", "no cores or gpus of a node"};
      return Line(std::move(rlite));
    }
    default:
      return Line(WriteRv1(format, graph, taken, times));
  }
}

}  // namespace fluxnetes::matcher
