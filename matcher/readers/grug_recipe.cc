#include "matcher/readers/grug_recipe.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <unordered_map>

#include "matcher/readers/xml_document.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMaxRecipe = 10'000;
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 40;

// The attributes of a node or edge: its own, else the defaults of their keys.
class Attributes {
 public:
  Attributes(const std::map<std::string, std::string>& defaults,
             std::string where)
      : values_(defaults), where_(std::move(where)) {}

  void Set(const std::string& name, std::string value) {
    values_[name] = std::move(value);
  }
  std::string Text(const char* name, const char* otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() || found->second.empty() ? otherwise
                                                           : found->second;
  }
  std::int64_t Integer(const char* name, std::int64_t otherwise,
                       std::int64_t least) const {
    const std::string text = Text(name, "");
    if (text.empty()) return otherwise;
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || at != end || value < least ||
        value > kMaxNumber) {
      throw GraphError(
          fmt::format("{}: {} is \"{}\"; a whole number from {} to {} is right",
                      where_, name, text.substr(0, 40), least, kMaxNumber));
    }
    return value;
  }

 private:
  std::map<std::string, std::string> values_;
  std::string where_;
};

class RecipeReader {
 public:
  explicit RecipeReader(std::string_view text) : text_(text) {}
  GrugRecipe Read();

 private:
  struct Key {
    std::string name;
    bool of_edges = false;
  };

  void ReadKeys(const pugi::xml_node& graphml);
  Attributes ReadData(const pugi::xml_node& element, bool of_edge) const;
  void ReadVertex(const pugi::xml_node& element);
  void ReadEdge(const pugi::xml_node& element);
  int Endpoint(const pugi::xml_node& element, const char* which) const;
  [[noreturn]] void Fail(const pugi::xml_node& element,
                         std::string_view what) const;
  std::string Where(const pugi::xml_node& element) const;

  std::string_view text_;
  std::map<std::string, Key> keys_;
  std::map<std::string, std::string> vertex_defaults_;
  std::map<std::string, std::string> edge_defaults_;
  std::unordered_map<std::string, int> by_id_;
  GrugRecipe recipe_;
};

std::string RecipeReader::Where(const pugi::xml_node& element) const {
  return fmt::format("line {}: <{} id=\"{}\">",
                     LineOf(text_, element.offset_debug()), element.name(),
                     element.attribute("id").value());
}

void RecipeReader::Fail(const pugi::xml_node& element,
                        std::string_view what) const {
  throw GraphError(fmt::format("{}: {}", Where(element), what));
}

void RecipeReader::ReadKeys(const pugi::xml_node& graphml) {
  for (const pugi::xml_node& element : graphml.children("key")) {
    const std::string id = element.attribute("id").value();
    const std::string name = element.attribute("attr.name").value();
    const bool of_edges =
        std::string_view(element.attribute("for").value()) == "edge";
    if (id.empty() || name.empty()) Fail(element, "has no id or attr.name");
    if (keys_.size() >= kMaxRecipe) Fail(element, "is one key too many");
    keys_[id] = {name, of_edges};
    if (const pugi::xml_node otherwise = element.child("default")) {
      (of_edges ? edge_defaults_ : vertex_defaults_)[name] =
          otherwise.text().get();
    }
  }
}

Attributes RecipeReader::ReadData(const pugi::xml_node& element,
                                  bool of_edge) const {
  Attributes attributes(of_edge ? edge_defaults_ : vertex_defaults_,
                        Where(element));
  for (const pugi::xml_node& data : element.children("data")) {
    const auto key = keys_.find(data.attribute("key").value());
    if (key == keys_.end()) {
      Fail(element, fmt::format("has data of the key \"{}\", which no <key> "
                                "declares",
                                data.attribute("key").value()));
    }
    attributes.Set(key->second.name, data.text().get());
  }
  return attributes;
}

void RecipeReader::ReadVertex(const pugi::xml_node& element) {
  const Attributes data = ReadData(element, false);
  GrugVertex vertex;
  vertex.root = data.Integer("root", 0, 0) != 0;
  vertex.type = data.Text("type", "");
  vertex.basename = data.Text("basename", vertex.type.c_str());
  vertex.unit = data.Text("unit", "");
  vertex.subsystem = data.Text("subsystem", "containment");
  vertex.size = data.Integer("size", 1, 0);
  if (vertex.type.empty()) Fail(element, "has no type");
  if (vertex.size > 0xffffffff) Fail(element, "has a size above 2^32 - 1");
  if (recipe_.vertices.size() >= kMaxRecipe) {
    Fail(element, fmt::format("is one more than {}", kMaxRecipe));
  }
  const int number = static_cast<int>(recipe_.vertices.size());
  if (!by_id_.emplace(element.attribute("id").value(), number).second) {
    Fail(element, "is there twice");
  }
  recipe_.vertices.push_back(std::move(vertex));
}

int RecipeReader::Endpoint(const pugi::xml_node& element,
                           const char* which) const {
  const std::string id = element.attribute(which).value();
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) {
    Fail(element, fmt::format("has the {} \"{}\", which is no node", which,
                              id.substr(0, 60)));
  }
  return found->second;
}

void RecipeReader::ReadEdge(const pugi::xml_node& element) {
  using Method = GrugEdge::Method;
  const Attributes data = ReadData(element, true);
  GrugEdge edge;
  edge.source = Endpoint(element, "source");
  edge.target = Endpoint(element, "target");
  edge.name = Where(element);
  edge.subsystem = data.Text("e_subsystem", "containment");
  const std::string method = data.Text("gen_method", "MULTIPLY");
  if (method == "MULTIPLY") {
    edge.method = Method::kMultiply;
  } else if (method == "ASSOCIATE_IN") {
    edge.method = Method::kAssociateIn;
  } else if (method == "ASSOCIATE_BY_PATH_IN") {
    edge.method = Method::kAssociateByPathIn;
  } else {
    Fail(element, fmt::format("has the gen_method {}; known are MULTIPLY, "
                              "ASSOCIATE_IN, ASSOCIATE_BY_PATH_IN",
                              method.substr(0, 60)));
  }
  edge.scale = data.Integer("multi_scale", 1, 0);
  edge.id_scope = data.Integer("id_scope", 0, -kMaxNumber);
  edge.id_start = data.Integer("id_start", 0, 0);
  edge.id_stride = data.Integer("id_stride", 1, 0);
  edge.path_subsystem = data.Text("as_tgt_subsystem", "containment");
  edge.target_up = data.Integer("as_tgt_uplvl", 0, 0);
  edge.source_up = data.Integer("as_src_uplvl", 0, 0);
  if (recipe_.edges.size() >= kMaxRecipe) {
    Fail(element, fmt::format("is one more than {}", kMaxRecipe));
  }
  recipe_.vertices[edge.source].out.push_back(
      static_cast<int>(recipe_.edges.size()));
  recipe_.edges.push_back(std::move(edge));
}

GrugRecipe RecipeReader::Read() {
  pugi::xml_document document;
  ParseXml(text_, document);
  const pugi::xml_node graphml = document.child("graphml");
  const pugi::xml_node graph = graphml.child("graph");
  if (!graph) throw GraphError("line 1: there is no <graphml> with a <graph>");
  ReadKeys(graphml);
  for (const pugi::xml_node& node : graph.children("node")) ReadVertex(node);
  for (const pugi::xml_node& edge : graph.children("edge")) ReadEdge(edge);
  return std::move(recipe_);
}

}  // namespace

GrugRecipe ReadGrugRecipe(std::string_view text) {
  return RecipeReader(text).Read();
}

}  // namespace fluxnetes::matcher
