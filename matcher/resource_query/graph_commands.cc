#include <ctime>
#include <ostream>

#include "matcher/fluxion/find_expression.h"
#include "matcher/graph/id_set.h"
#include "matcher/readers/jgf.h"
#include "matcher/resource_query/loader.h"
#include "matcher/resource_query/session.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

// Returns the format that leaves nothing out: `find` has no shorthand.
MatchFormat InFull(MatchFormat format) {
  switch (format) {
    case MatchFormat::kJgfShorthand:
      return MatchFormat::kJgf;
    case MatchFormat::kRv1Shorthand:
      return MatchFormat::kRv1;
    default:
      return format;
  }
}

}  // namespace

void Session::RunAttach(const Words& words) {
  if (words.size() != 2) return SayMalformed();
  const auto source = OpenFile(words[1]);
  if (!source) {
    streams_.errors << "ERROR: can't open " << words[1] << '\n';
    return;
  }
  try {
    matcher_.Grow([&](ResourceGraph& graph) { AddJgf(*source, graph); });
  } catch (const GraphError& error) {
    streams_.errors << "ERROR: can't attach " << words[1] << ": "
                    << error.what() << '\n';
  }
}

void Session::RunRemove(const Words& words) {
  constexpr std::size_t kMostRanks = 1'000'000;
  if (words.size() != 3) return SayMalformed();
  if (words[2] != "true" && words[2] != "false") {
    streams_.errors << "ERROR: invalid path boolean input\n";
    return;
  }
  bool removed = false;
  if (words[2] == "true") {
    removed = matcher_.Remove(words[1]);
  } else {
    const auto set = IdSet::Parse(words[1]);
    const auto ranks = set ? set->Ids(kMostRanks) : std::nullopt;
    if (!ranks) {
      streams_.errors << "ERROR: " << words[1] << " is not a set of ranks\n";
      return;
    }
    removed = matcher_.RemoveRanks(*ranks);
  }
  if (!removed) streams_.errors << "ERROR: can't remove subgraph \n";
}

void Session::RunFind(const Words& words) {
  if (words.size() < 2) return SayMalformed();
  std::string text = words[1];
  for (std::size_t i = 2; i < words.size(); ++i) text += " " + words[i];
  const auto expression = FindExpression::Parse(text);
  if (!expression) {
    streams_.errors << "find: invalid criteria: " << text << ".\n";
    return;
  }
  const auto found = expression->Find(matcher_, std::time(nullptr));
  const MatchText written =
      WriteMatch(InFull(options_.format), matcher_.graph(), found, {});
  if (!written.error.empty()) {
    streams_.errors << "find: ERROR: find writer emit: " << written.error
                    << '\n';
    return;
  }
  streams_.results << written.text << kBar << "INFO: EXPRESSION=\"" << text
                   << "\"\n"
                   << kBar;
}

void Session::RunSetProperty(const Words& words) {
  if (words.size() != 3) return SayMalformed();
  const auto equals = words[2].find('=');
  std::ostream& out = streams_.results;
  if (equals == std::string::npos || equals == 0 ||
      equals + 1 == words[2].size()) {
    out << "Incorrect input format. \n"
           "Please use `set-property <resource> PROPERTY=VALUE`.\n";
    return;
  }
  if (!matcher_.SetProperty(words[1], words[2].substr(0, equals),
                            words[2].substr(equals + 1))) {
    out << "Couldn't find path " << words[1] << " in resource graph.\n";
  }
}

void Session::RunGetProperty(const Words& words) {
  if (words.size() != 2) return SayMalformed();
  std::ostream& out = streams_.results;
  const ResourceGraph& graph = matcher_.graph();
  const auto vertices = graph.FindAll(words[1]);
  if (vertices.empty()) {
    out << "Could not find path " << words[1] << " in resource graph.\n";
    return;
  }
  for (const VertexIndex v : vertices) {
    const Properties* properties = graph.PropertiesOf(v);
    if (properties == nullptr || properties->empty()) {
      out << "No properties were found for " << words[1]
          << " (vtx's uniq_id=" << graph.uniq_id(v) << ").\n";
      continue;
    }
    for (const auto& [key, value] : *properties) {
      out << key << '=' << value << '\n';
    }
  }
}

void Session::RunSetStatus(const Words& words) {
  if (words.size() != 3) return SayMalformed();
  if (words[2] != "up" && words[2] != "down") {
    streams_.errors << "ERROR: unrecognized status\n";
    return;
  }
  if (!matcher_.SetUp(words[1], words[2] == "up")) {
    streams_.results << "Could not find path " << words[1]
                     << " in resource graph.\n";
  }
}

void Session::RunGetStatus(const Words& words) {
  if (words.size() != 2) return SayMalformed();
  const ResourceGraph& graph = matcher_.graph();
  const auto v = graph.Find(words[1]);
  if (!v) {
    streams_.results << "Could not find path " << words[1]
                     << " in resource graph.\n";
    return;
  }
  streams_.results << words[1] << " is " << (graph.up(*v) ? "up" : "down")
                   << '\n';
}

void Session::RunCat(const Words& words) {
  if (words.size() != 2) return SayMalformed();
  const auto text = ReadFile(words[1]);
  if (!text) {
    streams_.errors << "ERROR: can't open " << words[1] << '\n';
    return;
  }
  streams_.standard << *text;
}

void Session::RunHelp(const Words& words) {
  for (const Command& command : Commands()) {
    if (words.size() > 1 && &command != FindCommand(words[1])) continue;
    streams_.standard << "INFO: " << command.name << " ("
                      << command.abbreviation << "): " << command.usage << '\n';
  }
}

}  // namespace fluxnetes::matcher
