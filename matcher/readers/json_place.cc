#include "matcher/readers/json_place.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace fluxnetes::matcher {
namespace {

using nlohmann::json;

constexpr int kMaxJsonDepth = 16;

void CheckNesting(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      if (++depth > kMaxJsonDepth) {
        throw GraphError(
            fmt::format("byte {}: the document is nested more than {} deep",
                        i + 1, kMaxJsonDepth));
      }
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
}

}  // namespace

std::string JsonPlace::Path() const {
  if (above_ == nullptr) return name_;
  const bool index = name_.starts_with('[');
  return above_->Path() + (index ? "" : ".") + name_;
}

void JsonPlace::Fail(std::string_view what) const {
  throw GraphError(fmt::format("{}: {}", Path(), what));
}

void JsonPlace::Fail(const char* key, std::string_view what) const {
  throw GraphError(fmt::format("{}.{}: {}", Path(), key, what));
}

const json& JsonPlace::Require(const char* key, json::value_t type,
                               std::string_view what) const {
  if (!value_.is_object()) Fail("is not an object");
  const auto found = value_.find(key);
  if (found == value_.end()) {
    Fail(fmt::format("has no \"{}\", which is required", key));
  }
  if (found->type() != type) Fail(key, fmt::format("is not {}", what));
  return *found;
}

std::string JsonPlace::Text(const char* key) const {
  return Require(key, json::value_t::string, "a text").get<std::string>();
}

std::int64_t JsonPlace::Integer(const char* key, std::int64_t least,
                                std::int64_t most) const {
  const std::string wish =
      fmt::format("is not a whole number from {} to {}", least, most);
  if (!Has(key)) Fail(fmt::format("has no \"{}\", which is required", key));
  const json& value = value_[key];
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     std::cmp_less_equal(value.get<std::uint64_t>(), most)) &&
                    value.get<std::int64_t>() >= least &&
                    value.get<std::int64_t>() <= most;
  if (!fits) Fail(key, wish);
  return value.get<std::int64_t>();
}

double JsonPlace::Number(const char* key, double otherwise) const {
  if (!Has(key)) return otherwise;
  const json& value = value_[key];
  if (!value.is_number()) Fail(key, "is not a number");
  return value.get<double>();
}

bool JsonPlace::Flag(const char* key) const {
  if (!Has(key)) return false;
  if (!value_[key].is_boolean()) Fail(key, "is not true or false");
  return value_[key].get<bool>();
}

json ParseJson(std::string_view text) {
  if (text.size() > kMaxGraphBytes) {
    throw GraphError(fmt::format("the document has {} bytes; at most {} do",
                                 text.size(), kMaxGraphBytes));
  }
  CheckNesting(text);
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw GraphError(error.what());
  }
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::string_view TrailingDigits(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') {
    --begin;
  }
  return name.substr(begin);
}

}  // namespace fluxnetes::matcher
