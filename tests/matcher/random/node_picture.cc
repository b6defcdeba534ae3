#include "tests/matcher/random/node_picture.h"

#include <sstream>
#include <stdexcept>

namespace fluxnetes::matcher {
namespace {

const std::vector<std::string> kResources = {"cpu", "mem", "gpu"};

std::vector<std::string> Words(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool SetAmount(const std::string& word, std::vector<std::int64_t>& amounts) {
  const auto equals = word.find('=');
  for (std::size_t r = 0; r < kResources.size(); ++r) {
    if (word.substr(0, equals) != kResources[r]) continue;
    amounts[r] = std::stoll(word.substr(equals + 1));
    return true;
  }
  return false;
}

}  // namespace

NodeGraph Nodes(std::string_view picture) {
  NodeGraph graph(kResources);
  std::istringstream lines{std::string(picture)};
  for (std::string line; std::getline(lines, line);) {
    const auto words = Words(line);
    if (words.empty()) continue;
    std::vector<std::int64_t> totals(kResources.size());
    std::int64_t id = 0;
    bool open = true;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (SetAmount(words[i], totals)) continue;
      if (words[i].starts_with("id=")) {
        id = std::stoll(words[i].substr(3));
      } else if (words[i] == "closed") {
        open = false;
      } else {
        throw std::logic_error("what is " + words[i]);
      }
    }
    graph.SetOpen(graph.AddNode(words[0], id, totals), open);
  }
  return graph;
}

Gang Tasks(std::string_view text) {
  Gang gang;
  const auto words = Words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "for") {
      gang.duration = std::stoll(words[++i]);
    } else if (words[i].ends_with('x')) {
      gang.groups.push_back({std::vector<std::int64_t>(kResources.size()),
                             nullptr, std::stoi(words[i])});
    } else if (words[i] != "+" &&
               !SetAmount(words[i], gang.groups.back().amounts)) {
      throw std::logic_error("what is " + words[i]);
    }
  }
  return gang;
}

std::string Show(const NodeGraph& graph, const MatchResult& result, Time now) {
  if (const auto* no_fit = std::get_if<NoFit>(&result)) {
    return *no_fit == NoFit::kNow     ? "not now"
           : *no_fit == NoFit::kNever ? "never"
                                      : "no time";
  }
  const auto& placement = std::get<Placement>(result);
  std::string text;
  if (placement.start != now) {
    text = "at " + std::to_string(placement.start) + ": ";
  }
  for (const NodeIndex node : placement.nodes) text += graph.Name(node) + " ";
  if (!placement.nodes.empty()) text.pop_back();
  return text;
}

}  // namespace fluxnetes::matcher
