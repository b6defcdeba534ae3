// Writes what a job got, in one of Fluxion's formats:
//
//   simple, pretty_simple        a line per vertex, for people
//   jgf, jgf_shorthand           JSON graph format; shorthand leaves out what
//                                is below a vertex that is taken whole
//   rlite                        cores and gpus by rank (RFC 20, R_lite)
//   rv1, rv1_nosched, rv1_shorthand   R version 1, with or without a jgf
//
// Every text ends in a newline. If nothing is taken, the text is empty. So is
// an R version 1 if no core or gpu of a node is taken. R_lite of nothing, or
// without cores and gpus, is an error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "matcher/fluxion/matcher.h"
#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

enum class MatchFormat {
  kSimple,
  kPrettySimple,
  kJgf,
  kJgfShorthand,
  kRlite,
  kRv1,
  kRv1Nosched,
  kRv1Shorthand,
};

std::optional<MatchFormat> ParseMatchFormat(std::string_view name);

struct MatchText {
  std::string text;
  std::string error;  // why there is no text
};

// What the text has besides the vertices.
struct MatchTimes {
  Time start = 0;
  Time expiration = 0;
  std::string queue;  // which rv1 and rv1_shorthand name
};

MatchText WriteMatch(MatchFormat format, const ResourceGraph& graph,
                     std::span<const Taken> taken, const MatchTimes& times);

// The single formats. The JSON ones end without a newline.
std::string WriteSimple(const ResourceGraph& graph,
                        std::span<const Taken> taken);
std::string WritePrettySimple(const ResourceGraph& graph,
                              std::span<const Taken> taken);
void AppendJgfObject(const ResourceGraph& graph, std::span<const Taken> taken,
                     bool shorthand, std::string& text);
// By rank; an error if a node has no rank.
MatchText WriteRlite(const ResourceGraph& graph, std::span<const Taken> taken);
MatchText WriteRv1(MatchFormat format, const ResourceGraph& graph,
                   std::span<const Taken> taken, const MatchTimes& times);

}  // namespace fluxnetes::matcher
