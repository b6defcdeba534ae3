#include "tests/matcher/random/tree_picture.h"

#include <map>
#include <sstream>

namespace fluxnetes::matcher {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::istringstream in(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

class Builder {
 public:
  // `down` and properties belong to the vertex from the start.
  void Line(const std::vector<std::string>& words) {
    Vertex last;
    for (const std::string& word : words) {
      if (word == "down") last.up = false;
      if (word[0] == '+') last.properties[word.substr(1)] = "";
    }
    const auto names = Split(words[0], '/');
    std::string path;
    VertexIndex v = kNoVertex;
    for (std::size_t i = 0; i < names.size(); ++i) {
      path += "/" + names[i];
      v = Named(path, names[i], v, i + 1 == names.size() ? last : Vertex{});
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto equals = words[i].find('=');
      if (equals == std::string::npos) continue;
      const auto star = words[i].find('*');
      const int count = std::stoi(words[i].substr(equals + 1));
      Vertex child;
      child.size =
          star == std::string::npos ? 1 : std::stoll(words[i].substr(star + 1));
      const std::string type = words[i].substr(0, equals);
      for (int n = 0; n < count; ++n) Add(type + std::to_string(n), v, child);
    }
  }
  ResourceGraph graph;

 private:
  VertexIndex Named(const std::string& path, const std::string& name,
                    VertexIndex parent, const Vertex& like) {
    const auto known = by_path_.find(path);
    if (known != by_path_.end()) return known->second;
    return by_path_[path] = Add(name, parent, like);
  }
  VertexIndex Add(const std::string& name, VertexIndex parent, Vertex vertex) {
    const auto digits = name.find_first_of("0123456789");
    vertex.type = vertex.basename = name.substr(0, digits);
    vertex.name = name;
    vertex.id = std::stoll(name.substr(digits));
    vertex.uniq_id = graph.size();
    if (vertex.type == "node") vertex.rank = ranks_++;
    const VertexIndex v = graph.AddVertex(vertex);
    if (parent == kNoVertex) {
      graph.SetRoot(v);
    } else {
      graph.AddEdge(parent, v);
    }
    return v;
  }

  std::map<std::string, VertexIndex> by_path_;
  int ranks_ = 0;
};

// Turns "core[2]!" into one line of YAML, without its end.
std::string Resource(const std::string& text) {
  const auto open = text.find('[');
  const auto close = text.find(']');
  const std::string type = text.substr(0, open);
  std::string yaml =
      "{type: " + type + ", count: " + text.substr(open + 1, close - open - 1);
  if (type == "slot") yaml += ", label: task";
  if (text.ends_with('!')) yaml += ", exclusive: true";
  return yaml;
}

}  // namespace

ResourceGraph Tree(std::string_view picture) {
  Builder builder;
  for (const std::string& line : Split(std::string(picture), '\n')) {
    const auto words = Split(line, ' ');
    if (!words.empty()) builder.Line(words);
  }
  return std::move(builder.graph);
}

Jobspec Ask(std::string_view text) {
  const auto words = Split(std::string(text), ' ');
  std::string yaml = "version: 9999\nresources: ";
  std::string end;
  for (const std::string& level : Split(words[0], '/')) {
    if (!end.empty()) yaml += ", with: ";
    yaml += "[";
    const auto siblings = Split(level, ',');
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      yaml += (i == 0 ? "" : "}, ") + Resource(siblings[i]);
    }
    end += "}]";
  }
  yaml += end + "\nattributes: {system: {duration: " +
          (words.size() > 2 ? words[2] : "0") + "}}\ntasks: []\n";
  return ParseJobspec(yaml);
}

std::string Show(const ResourceGraph& graph, const Match& match) {
  switch (match.outcome) {
    case MatchOutcome::kBusy:
      return "busy";
    case MatchOutcome::kUnsatisfiable:
      return "unsatisfiable";
    case MatchOutcome::kSatisfiable:
      return "satisfiable";
    case MatchOutcome::kInvalid:
      return "invalid";
    default:
      break;
  }
  std::string text;
  if (match.at != 0) text = "at " + std::to_string(match.at) + ": ";
  for (const Taken& taken : match.taken) {
    text += graph.Name(taken.vertex);
    if (taken.units != 1) text += "*" + std::to_string(taken.units);
    text += taken.exclusive ? ":x " : ":s ";
  }
  text.pop_back();
  return text;
}

}  // namespace fluxnetes::matcher
