#include "matcher/jobspec/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace fluxnetes::matcher {
namespace {

using Kind = YamlTree::Kind;

std::string Quote(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return fmt::format("\"{}{}\"", text.substr(0, kMost),
                     text.size() > kMost ? "..." : "");
}

// Reads a decimal number, or YAML's spelling of one that is not finite.
std::optional<double> ParseNumber(std::string_view text) {
  using Limits = std::numeric_limits<double>;
  for (const char* infinity :
       {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"}) {
    if (text == infinity) return Limits::infinity();
  }
  for (const char* infinity : {"-.inf", "-.Inf", "-.INF"}) {
    if (text == infinity) return -Limits::infinity();
  }
  for (const char* none : {".nan", ".NaN", ".NAN"}) {
    if (text == none) return Limits::quiet_NaN();
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
    return std::nullopt;
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

}  // namespace

YamlPlace::YamlPlace(const YamlPlace& above, int node, YamlText::Step step)
    : text_(above.text_),
      node_(node),
      step_(static_cast<int>(above.text_->steps_.size())) {
  text_->steps_.push_back(step);
}

std::string YamlPlace::Path() const {
  std::vector<const YamlText::Step*> way;
  for (int at = step_; at >= 0; at = text_->steps_[at].above) {
    way.push_back(&text_->steps_[at]);
  }
  std::string path;
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    const auto& [above, key, index] = **step;
    if (key) {
      path += fmt::format("{}{}", path.empty() ? "" : ".", *key);
    } else {
      path += fmt::format("[{}]", index);
    }
  }
  return path;
}

void YamlPlace::Fail(std::string_view what) const {
  throw JobspecError(fmt::format("line {}: {}: {}", text_->tree.line(node_),
                                 step_ < 0 ? "the jobspec" : Path(), what));
}

int YamlPlace::Find(std::string_view key) const {
  const YamlTree& tree = text_->tree;
  if (kind() != Kind::kMap) return -1;
  for (std::size_t i = 0; i < tree.size(node_); ++i) {
    const int at = tree.key(node_, i);
    if (tree.kind(at) == Kind::kScalar && tree.text(at) == key) {
      return tree.value(node_, i);
    }
  }
  return -1;
}

YamlPlace YamlPlace::At(const char* key) const {
  RequireMap();
  const int child = Find(key);
  if (child < 0) Fail(fmt::format("has no \"{}\", which is required", key));
  return {*this, child, {step_, key, 0}};
}

YamlPlace YamlPlace::At(std::size_t index) const {
  return {
      *this, text_->tree.element(node_, index), {step_, std::nullopt, index}};
}

std::optional<std::string_view> YamlPlace::KeyAt(std::size_t index) const {
  const int key = text_->tree.key(node_, index);
  if (text_->tree.kind(key) != Kind::kScalar) return std::nullopt;
  return text_->tree.text(key);
}

YamlPlace YamlPlace::ValueAt(std::size_t index) const {
  return {*this,
          text_->tree.value(node_, index),
          {step_, KeyAt(index).value_or(""), 0}};
}

void YamlPlace::RequireMap() const {
  if (kind() != Kind::kMap) Fail("is not a map");
}

void YamlPlace::RequireSequence() const {
  if (kind() != Kind::kSequence) Fail("is not a list");
}

void YamlPlace::AllowOnly(std::initializer_list<std::string_view> keys) const {
  RequireMap();
  std::uint32_t seen = 0;  // a bit per key
  for (std::size_t i = 0; i < size(); ++i) {
    const auto key = KeyAt(i);
    if (!key) Fail("has a key that is not a name");
    const auto known = std::find(keys.begin(), keys.end(), *key);
    if (known == keys.end()) {
      Fail(fmt::format("has the unknown key {}; known are {}", Quote(*key),
                       fmt::join(keys, ", ")));
    }
    const std::uint32_t bit = std::uint32_t{1} << (known - keys.begin());
    if ((seen & bit) != 0) Fail("has " + Quote(*key) + " twice");
    seen |= bit;
  }
}

std::string_view YamlPlace::Text() const {
  if (!IsScalar()) Fail("is not a text");
  return text_->tree.text(node_);
}

std::int64_t YamlPlace::Integer(std::int64_t least, std::int64_t most) const {
  const auto fail = [&](const std::string& what) {
    Fail(fmt::format("{}; a number from {} to {} is right", what, least, most));
  };
  if (!IsScalar()) fail("is not a number");
  const std::string_view text = Text();
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || value < least || value > most) {
    fail("is " + Quote(text));
  }
  return value;
}

double YamlPlace::Number() const {
  if (!IsScalar()) Fail("is not a number");
  const auto number = ParseNumber(Text());
  if (!number) {
    Fail(fmt::format("is {}; a number of seconds is right", Quote(Text())));
  }
  return *number;
}

}  // namespace fluxnetes::matcher
