#include "cluster/text/yaml_document.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/text/json_document.h"
#include "cluster/text/quote.h"
#include "cluster/text/utf8.h"
#include "cluster/text/yaml_scalar.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// The value of an anchor.
struct Anchored {
  Json value;
  std::size_t values = 0;
  std::size_t bytes = 0;
  int depth = 0;
};

// A list or mapping that is being read.
struct Frame {
  Json value;
  YAML::anchor_t anchor = 0;
  std::size_t values_before = 0;
  std::size_t bytes_before = 0;
  int depth = 0;                   // depth of the nested values
  std::optional<std::string> key;  // waits for its value
  bool key_merges = false;
  std::set<std::string> merged;  // keys of merges alone
};

// Builds documents from the events of the parser, with an explicit stack.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const std::string& source, const TakeDocument& take,
          const YamlLimits& limits, YamlTypes types)
      : source_(source), take_(take), limits_(limits), types_(types) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // The parser never advances if a comma begins a document.
    if (mark.pos == document_at_) {
      Fail(mark, "not YAML: no value begins here; write key: value");
    }
    document_at_ = mark.pos;
    document_ = Json();
    document_line_ = mark.line + 1;
    anchors_.clear();
  }
  void OnDocumentEnd() override {
    if (!document_.is_null()) take_(std::move(document_), document_line_);
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Leaf(mark, anchor, nullptr, "");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& text) override {
    Leaf(mark, anchor, Typed(mark, tag, text), text, tag == "?");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      Fail(mark, "an alias that stands for what it is part of");
    }
    const Anchored& anchored = found->second;
    Count(mark, anchored.values, anchored.bytes);
    CheckDepth(mark, anchored.depth);
    Put(mark, anchored.value, anchored.depth);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, "seq", anchor, Json::array());
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, "map", anchor, Json::object());
  }
  void OnMapEnd() override { Close(); }

  [[noreturn]] void Fail(const YAML::Mark& mark,
                         const std::string& what) const {
    const auto place = [](int number) { return std::to_string(number + 1); };
    throw InputError(source_ + ":" + place(mark.line) + ":" +
                     place(mark.column) + ": " + what);
  }

 private:
  Json Plain(const std::string& text) const {
    return types_ == YamlTypes::kCore ? CoreScalar(text)
                                      : KubernetesScalar(text);
  }

  Json Typed(const YAML::Mark& mark, const std::string& tag,
             const std::string& text) const {
    if (tag == "!") return text;
    if (tag.empty() || tag == "?") return Plain(text);
    if (tag.starts_with(kCoreTag)) {
      const std::string type = tag.substr(kCoreTag.size());
      if (type == "str") return text;
      if (const auto fits = TypeNamed(type)) {
        Json value = Plain(text);
        if (fits(value)) return value;
        Fail(mark, Quote(text) + " is no " + type + ", as its tag says");
      }
    }
    Fail(mark, "the tag " + Quote(tag) + " is not supported; leave it out");
  }

  // Returns what holds for values of the type; null for an unknown type.
  static bool (*TypeNamed(std::string_view type))(const Json&) {
    if (type == "int")
      return [](const Json& it) { return it.is_number_integer(); };
    if (type == "float") return [](const Json& it) { return it.is_number(); };
    if (type == "bool") return [](const Json& it) { return it.is_boolean(); };
    if (type == "null") return [](const Json& it) { return it.is_null(); };
    return nullptr;
  }

  // Returns the key as text; JSON has no other.
  std::string KeyOf(const YAML::Mark& mark, const Json& value,
                    const std::string& text) const {
    const bool as_written =
        value.is_string() || text.empty() || types_ == YamlTypes::kCore;
    if (as_written) return text;
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number_integer()) return value.dump();
    if (value.is_number()) {
      Fail(mark, "the key " + Quote(text) + " is a number; put it in quotes");
    }
    Fail(mark, "a key that is no text; write key: value");
  }

  // JSON cannot write the others.
  void CheckFinite(const YAML::Mark& mark, const Json& value,
                   const std::string& text) const {
    if (!value.is_number_float() || std::isfinite(value.get<double>())) return;
    Fail(mark, Quote(text) +
                   " is no number that JSON can write; put text in "
                   "quotes");
  }

  void Leaf(const YAML::Mark& mark, YAML::anchor_t anchor, Json value,
            const std::string& text, bool plain = false) {
    Count(mark, 1, text.size());
    if (anchor != 0) {
      Count(mark, 0, text.size());  // the copy for aliases
      anchors_[anchor] = {value, 1, text.size(), 0};
    }
    if (AtKey()) {
      const bool merges = plain && text == "<<";
      return SetKey(mark, KeyOf(mark, value, text), merges);
    }
    CheckFinite(mark, value, text);
    Put(mark, std::move(value), 0);
  }

  void Open(const YAML::Mark& mark, const std::string& tag,
            std::string_view type, YAML::anchor_t anchor, Json empty) {
    if (!tag.empty() && tag != "?" &&
        tag != std::string(kCoreTag).append(type)) {
      Fail(mark, "the tag " + Quote(tag) + " is not supported; leave it out");
    }
    if (AtKey()) Fail(mark, "a key that is no text; write key: value");
    CheckDepth(mark, 1);
    Count(mark, 1, 0);
    Frame& frame = stack_.emplace_back();
    frame.value = std::move(empty);
    frame.anchor = anchor;
    frame.values_before = values_ - 1;
    frame.bytes_before = bytes_;
    mark_ = mark;
  }

  void Close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    const int depth = frame.depth + 1;
    if (frame.anchor != 0) {
      const std::size_t values = values_ - frame.values_before;
      const std::size_t bytes = bytes_ - frame.bytes_before;
      Count(mark_, values, bytes);  // the copy for aliases
      anchors_[frame.anchor] = {frame.value, values, bytes, depth};
    }
    Put(mark_, std::move(frame.value), depth);
  }

  bool AtKey() const {
    return !stack_.empty() && stack_.back().value.is_object() &&
           !stack_.back().key;
  }

  void SetKey(const YAML::Mark& mark, const std::string& text, bool merges) {
    Frame& frame = stack_.back();
    if (text.empty()) Fail(mark, "a key is missing; write key: value");
    if (!merges && frame.value.contains(text) &&
        frame.merged.erase(text) == 0) {
      Fail(mark, "the key " + Quote(text) + " is there twice; leave one out");
    }
    frame.key = text;
    frame.key_merges = merges;
  }

  // Stores a finished value in the enclosing list or mapping.
  void Put(const YAML::Mark& mark, Json value, int depth) {
    if (stack_.empty()) {
      document_ = std::move(value);
      return;
    }
    Frame& frame = stack_.back();
    frame.depth = std::max(frame.depth, depth);
    if (frame.value.is_array()) {
      frame.value.push_back(std::move(value));
    } else if (!frame.key) {
      if (value.is_structured()) {
        Fail(mark, "a key that is no text; write key: value");
      }
      const std::string text =
          value.is_string() ? value.get<std::string>() : value.dump();
      SetKey(mark, KeyOf(mark, value, text), false);
    } else if (frame.key_merges) {
      Merge(mark, std::move(value));
      frame.key.reset();
    } else {
      frame.value[*frame.key] = std::move(value);
      frame.key.reset();
    }
  }

  void Merge(const YAML::Mark& mark, Json value) {
    Json list = value.is_array() ? std::move(value) : Json::array({value});
    Json all = Json::object();  // of several, the first wins
    for (Json& part : list) {
      if (!part.is_object()) {
        Fail(mark, "<< merges mappings; this is none");
      }
      all.insert(part.begin(), part.end());
    }
    Frame& frame = stack_.back();
    for (auto& [key, part] : all.items()) {
      const bool there = frame.value.contains(key);
      if (there && types_ == YamlTypes::kCore) continue;
      if (!there) frame.merged.insert(key);
      frame.value[key] = std::move(part);
    }
  }

  void CheckDepth(const YAML::Mark& mark, int more) const {
    if (static_cast<int>(stack_.size()) + more > limits_.depth) {
      Fail(mark,
           "nested deeper than " + std::to_string(limits_.depth) + " levels");
    }
  }

  void Count(const YAML::Mark& mark, std::size_t values, std::size_t bytes) {
    values_ += values;
    bytes_ += bytes;
    if (values_ > limits_.values) {
      Fail(mark, "more than " + std::to_string(limits_.values) +
                     " values, aliases expanded; split the text");
    }
    // The text itself, and as much again by aliases.
    if (bytes_ > 2 * limits_.bytes) {
      Fail(mark, "more than " + std::to_string(2 * limits_.bytes) +
                     " bytes, aliases expanded; split the text");
    }
  }

  const std::string& source_;
  const TakeDocument& take_;
  const YamlLimits& limits_;
  const YamlTypes types_;
  Json document_;
  int document_at_ = -1;
  int document_line_ = 1;
  YAML::Mark mark_;  // of the last list or mapping opened
  std::vector<Frame> stack_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  // Totals of all documents.
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;  // bytes of keys and scalars
};

// Line and column of a byte, from 0, as the parser counts them.
YAML::Mark MarkAt(std::string_view text, std::size_t at) {
  YAML::Mark mark;
  const std::string_view before = text.substr(0, at);
  mark.line = static_cast<int>(std::ranges::count(before, '\n'));
  const auto newline = before.rfind('\n');
  mark.column = static_cast<int>(
      newline == std::string_view::npos ? at : at - newline - 1);
  return mark;
}

bool IsAllowed(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character[0]);
  return byte >= 0x20 ? byte != 0x7F
                      : byte == '\t' || byte == '\n' || byte == '\r';
}

void CheckText(std::string_view text, const std::string& source,
               const Builder& builder, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    throw InputError(source + ": has " + std::to_string(text.size()) +
                     " bytes; at most " + std::to_string(limits.bytes) +
                     " are read, split it");
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Length(text.substr(at));
    if (length == 0) {
      builder.Fail(MarkAt(text, at), "the byte " + Quote(text.substr(at, 1)) +
                                         " is not UTF-8; save it as UTF-8");
    }
    if (!IsAllowed(text.substr(at, length))) {
      builder.Fail(MarkAt(text, at), "the control character " +
                                         Quote(text.substr(at, 1)) +
                                         " may not stand in YAML");
    }
    at += length;
  }
}

// The parser keeps the tokens of a flow collection until its end, some hundred
// bytes for each of these characters.
void CheckFlow(std::string_view text, const std::string& source) {
  constexpr std::ptrdiff_t kMost = 200'000;
  const auto flow = std::ranges::count_if(text, [](char c) {
    return c == '[' || c == ']' || c == '{' || c == '}' || c == ',';
  });
  if (flow > kMost) {
    throw InputError(source + ": has " + std::to_string(flow) +
                     " of [ ] { } and , ; at most " + std::to_string(kMost) +
                     " are read, split it or write it as JSON");
  }
}

}  // namespace

void ReadYaml(std::string_view text, const std::string& source,
              const TakeDocument& take, const YamlLimits& limits,
              YamlTypes types) {
  Builder builder(source, take, limits, types);
  CheckText(text, source, builder, limits);
  if (auto json = ReadJson(text, source, limits)) {
    return take(std::move(*json), 1);
  }
  CheckFlow(text, source);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::DeepRecursion& error) {
    builder.Fail(error.mark, "nested deeper than " +
                                 std::to_string(limits.depth) + " levels");
  } catch (const YAML::Exception& error) {
    builder.Fail(error.mark, "not YAML: " + error.msg);
  }
}

}  // namespace fluxnetes::cluster
