#include "matcher/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace fluxnetes::matcher {
namespace {

std::string Quote(const std::string& text) {
  constexpr std::size_t kMost = 60;
  return '"' + (text.size() > kMost ? text.substr(0, kMost) + "..." : text) +
         '"';
}

}  // namespace

void YamlPlace::Fail(std::string_view what) const {
  const std::string where = path.empty() ? "the jobspec" : path;
  throw JobspecError(
      fmt::format("line {}: {}: {}", node.Mark().line + 1, where, what));
}

YamlPlace YamlPlace::At(const char* key) const {
  RequireMap();
  YamlPlace child{node[key], path.empty() ? key : path + "." + key};
  if (!child.node.IsDefined()) {
    Fail(fmt::format("has no \"{}\", which is required", key));
  }
  return child;
}

YamlPlace YamlPlace::At(std::size_t index) const {
  return {node[index], fmt::format("{}[{}]", path, index)};
}

bool YamlPlace::Has(const char* key) const {
  return node.IsMap() && node[key].IsDefined();
}

void YamlPlace::RequireMap() const {
  if (!node.IsMap()) Fail("is not a map");
}

void YamlPlace::RequireSequence() const {
  if (!node.IsSequence()) Fail("is not a list");
}

void YamlPlace::AllowOnly(std::initializer_list<std::string_view> keys) const {
  RequireMap();
  std::set<std::string> seen;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) Fail("has a key that is not a name");
    const std::string& key = entry.first.Scalar();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      Fail(fmt::format("has the unknown key {}; known are {}", Quote(key),
                       fmt::join(keys, ", ")));
    }
    if (!seen.insert(key).second) Fail("has " + Quote(key) + " twice");
  }
}

std::string YamlPlace::Text() const {
  if (!node.IsScalar()) Fail("is not a text");
  return node.Scalar();
}

std::int64_t YamlPlace::Integer(std::int64_t least, std::int64_t most) const {
  const std::string wish =
      fmt::format("a number from {} to {} is right", least, most);
  if (!node.IsScalar()) Fail("is not a number; " + wish);
  const std::string& text = node.Scalar();
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || value < least || value > most) {
    Fail(fmt::format("is {}; {}", Quote(text), wish));
  }
  return value;
}

double YamlPlace::Number() const {
  if (!node.IsScalar()) Fail("is not a number");
  try {
    return node.as<double>();
  } catch (const YAML::Exception&) {
    Fail(fmt::format("is {}; a number of seconds is right",
                     Quote(node.Scalar())));
  }
}

}  // namespace fluxnetes::matcher
