#include "matcher/jobspec/yaml_tree.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <unordered_map>

namespace fluxnetes::matcher {
namespace {

using Kind = YamlTree::Kind;

std::string_view TextOf(const yaml_char_t* text, std::size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}

std::string Name(const yaml_char_t* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

bool IsNull(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" ||
         text == "NULL";
}

// Directives are lines like "%TAG ! tag:...". Any % that may begin a line,
// after any of YAML's line breaks, counts as one.
void CheckDirectives(std::string_view text) {
  constexpr std::string_view kBreakEnds = "\n\r\x85\xa8\xa9";
  int directives = 0;
  for (auto at = text.find('%'); at != std::string_view::npos;
       at = text.find('%', at + 1)) {
    if (at > 0 && kBreakEnds.find(text[at - 1]) == std::string_view::npos) {
      continue;
    }
    if (++directives > YamlTree::kMaxDirectives) {
      throw YamlError(
          fmt::format("line {}: is one directive more than {}",
                      std::count(text.begin(), text.begin() + at, '\n') + 1,
                      YamlTree::kMaxDirectives));
    }
  }
}

// libyaml's parser and its present event.
class Events {
 public:
  explicit Events(std::string_view text) : text_(text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &parser_, reinterpret_cast<const unsigned char*>(text.data()),
        text.size());
  }
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  const yaml_event_t& Next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 0) Fail();
    return event_;
  }

 private:
  [[noreturn]] void Fail() const {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    std::size_t line = parser_.problem_mark.line;
    if (parser_.error == YAML_READER_ERROR) {
      const auto end = std::min(parser_.problem_offset, text_.size());
      line = std::count(text_.begin(), text_.begin() + end, '\n');
    }
    const std::string context =
        parser_.context == nullptr ? "" : std::string(parser_.context) + ": ";
    throw YamlError(fmt::format(
        "line {}: {}{}", line + 1, context,
        parser_.problem == nullptr ? "is not YAML" : parser_.problem));
  }

  std::string_view text_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

}  // namespace

class YamlTreeBuilder {
 public:
  explicit YamlTreeBuilder(YamlTree& tree) : tree_(tree) {}
  void Build(std::string_view text);

 private:
  int AddNode(const yaml_event_t& event, const yaml_char_t* anchor, Kind kind);
  void AddScalar(const yaml_event_t& event);
  void AddAlias(const yaml_event_t& event);
  void Open(const yaml_event_t& event, const yaml_char_t* anchor, Kind kind);
  void Close();

  struct Level {
    int node;
    std::size_t begin;  // of its children in open_
  };

  YamlTree& tree_;
  std::vector<int> open_;  // children of nodes that are not closed yet
  std::vector<Level> levels_;
  std::unordered_map<std::string, int> anchors_;
};

int YamlTreeBuilder::AddNode(const yaml_event_t& event,
                             const yaml_char_t* anchor, Kind kind) {
  const int node = static_cast<int>(tree_.nodes_.size());
  tree_.nodes_.push_back({kind, false, event.start_mark.line + 1, 0, 0});
  open_.push_back(node);
  if (anchor != nullptr) anchors_[Name(anchor)] = node;
  return node;
}

void YamlTreeBuilder::AddScalar(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  const std::string_view text = TextOf(scalar.value, scalar.length);
  const bool plain =
      scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nullptr;
  const bool null = plain && IsNull(text);
  YamlTree::Node& node = tree_.nodes_[AddNode(
      event, scalar.anchor, null ? Kind::kNull : Kind::kScalar)];
  node.plain = plain;
  node.first = tree_.texts_.size();
  node.size = text.size();
  tree_.texts_ += text;
}

void YamlTreeBuilder::AddAlias(const yaml_event_t& event) {
  const std::string name = Name(event.data.alias.anchor);
  const auto found = anchors_.find(name);
  if (found == anchors_.end()) {
    throw YamlError(fmt::format("line {}: nothing has the anchor \"{}\"",
                                event.start_mark.line + 1, name.substr(0, 60)));
  }
  open_.push_back(found->second);
}

void YamlTreeBuilder::Open(const yaml_event_t& event, const yaml_char_t* anchor,
                           Kind kind) {
  if (levels_.size() >= YamlTree::kMaxDepth) {
    throw YamlError(fmt::format("line {}: is nested more than {} deep",
                                event.start_mark.line + 1,
                                YamlTree::kMaxDepth));
  }
  const int node = AddNode(event, anchor, kind);
  levels_.push_back({node, open_.size()});
}

void YamlTreeBuilder::Close() {
  const Level level = levels_.back();
  levels_.pop_back();
  const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(level.begin);
  YamlTree::Node& node = tree_.nodes_[level.node];
  node.first = tree_.children_.size();
  node.size = open_.size() - level.begin;
  tree_.children_.insert(tree_.children_.end(), begin, open_.end());
  open_.erase(begin, open_.end());
}

void YamlTreeBuilder::Build(std::string_view text) {
  constexpr std::size_t kUsualNodes = 128;
  CheckDirectives(text);
  tree_.nodes_.reserve(kUsualNodes);
  tree_.children_.reserve(kUsualNodes);
  tree_.texts_.reserve(text.size());
  open_.reserve(kUsualNodes);
  Events events(text);
  while (true) {
    const yaml_event_t& event = events.Next();
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        AddScalar(event);
        break;
      case YAML_ALIAS_EVENT:
        AddAlias(event);
        break;
      case YAML_SEQUENCE_START_EVENT:
        Open(event, event.data.sequence_start.anchor, Kind::kSequence);
        break;
      case YAML_MAPPING_START_EVENT:
        Open(event, event.data.mapping_start.anchor, Kind::kMap);
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        Close();
        break;
      case YAML_DOCUMENT_END_EVENT:
        tree_.root_ = open_.front();
        return;
      case YAML_STREAM_END_EVENT:  // no document
        tree_.root_ = AddNode(event, nullptr, Kind::kNull);
        return;
      default:
        break;
    }
  }
}

YamlTree::YamlTree(std::string_view text) {
  YamlTreeBuilder(*this).Build(text);
}

}  // namespace fluxnetes::matcher
