#include "cluster/text/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

bool IsOneOf(std::string_view text, auto... words) {
  return ((text == words) || ...);
}

bool AreDigits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

template <typename Number>
std::optional<Number> Parsed(std::string_view text, auto... format) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data(), end, number, format...);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<Json> Based(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : text.starts_with("0o") ? 8 : 0;
  if (base == 0) return std::nullopt;
  text.remove_prefix(2);
  if (text.starts_with('-')) return std::nullopt;
  return Parsed<std::uint64_t>(text, base);
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
std::optional<Json> Decimal(std::string_view text) {
  std::string_view unsigned_part = text;
  if (text.starts_with('+') || text.starts_with('-')) {
    unsigned_part.remove_prefix(1);
  }
  if (text.starts_with('+')) text = unsigned_part;
  if (AreDigits(unsigned_part)) {
    if (const auto whole = Parsed<std::int64_t>(text)) return *whole;
    if (const auto large = Parsed<std::uint64_t>(text)) return *large;
  }
  const char first = unsigned_part.empty() ? 'x' : unsigned_part[0];
  if (first != '.' && (first < '0' || first > '9')) return std::nullopt;
  return Parsed<double>(text, std::chars_format::general);
}

}  // namespace

Json PlainScalar(const std::string& text) {
  if (IsOneOf(text, "", "~", "null", "Null", "NULL")) return nullptr;
  if (IsOneOf(text, "true", "True", "TRUE")) return true;
  if (IsOneOf(text, "false", "False", "FALSE")) return false;
  if (const auto based = Based(text)) return *based;
  if (const auto number = Decimal(text)) return *number;
  return text;
}

}  // namespace fluxnetes::cluster
