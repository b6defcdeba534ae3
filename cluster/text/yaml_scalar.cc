#include "cluster/text/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "cluster/text/digits.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

bool IsOneOf(std::string_view text, auto... words) {
  return ((text == words) || ...);
}

bool AreDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsDigit);
}

bool IsSign(char c) { return c == '+' || c == '-'; }

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
  if (first != '.' && !IsDigit(first)) return std::nullopt;
  return Parsed<double>(text, std::chars_format::general);
}

std::optional<Json> Word(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (IsOneOf(text, "", "~", "null", "Null", "NULL")) return Json(nullptr);
  if (IsOneOf(text, "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on",
              "On", "ON")) {
    return true;
  }
  if (IsOneOf(text, "n", "N", "no", "No", "NO", "false", "False", "FALSE",
              "off", "Off", "OFF")) {
    return false;
  }
  if (IsOneOf(text, ".nan", ".NaN", ".NAN")) return std::nan("");
  if (IsOneOf(text, "-.inf", "-.Inf", "-.INF")) return -kInfinity;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (IsOneOf(text, ".inf", ".Inf", ".INF")) return kInfinity;
  return std::nullopt;
}

int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const auto letter = static_cast<char>(digits[1] | 0x20);
  const int base = letter == 'x'   ? 16
                   : letter == 'o' ? 8
                   : letter == 'b' ? 2
                                   : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

// Go: strconv.ParseInt and ParseUint in base 0. Only what has no sign may
// exceed 63 bits.
std::optional<Json> YamlInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  const int base = TakeBase(text);
  if (text.empty() || IsSign(text[0])) return std::nullopt;
  const auto amount = Parsed<std::uint64_t>(text, base);
  if (!amount) return std::nullopt;
  constexpr auto kMost =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative && *amount <= kMost + 1) {
    return Json(static_cast<std::int64_t>(~*amount + 1));
  }
  if (*amount <= kMost) return Json(static_cast<std::int64_t>(*amount));
  if (has_sign) return std::nullopt;
  return Json(*amount);
}

// Go writes a float without a fraction as an integer into JSON.
Json WithoutFraction(double number) {
  constexpr double kMost = 0x1p63;
  if (std::abs(number) < kMost && std::trunc(number) == number) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

// Go: strconv.ParseFloat, which rounds what is too small to 0.
std::optional<Json> Float(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const bool begins =
      !text.empty() && (text[0] == '-' || text[0] == '.' || IsDigit(text[0]));
  const auto letter = text.find_first_not_of("-+.0123456789eE");
  if (!begins || letter != std::string_view::npos) return std::nullopt;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const auto exponent = text.find_first_of("eE");
    const bool tiny =
        exponent != std::string_view::npos && text[exponent + 1] == '-';
    return tiny ? std::optional(Json(0)) : std::nullopt;
  }
  return WithoutFraction(number);
}

// After a dot at the begin, an underscore counts only between two digits.
std::string WithoutUnderscores(std::string text) {
  for (std::size_t i = 0; text[0] == '.' && i < text.size(); ++i) {
    if (text[i] != '_') continue;
    const bool between =
        i + 1 < text.size() && IsDigit(text[i - 1]) && IsDigit(text[i + 1]);
    if (!between) return text;
  }
  std::erase(text, '_');
  return text;
}

}  // namespace

Json CoreScalar(const std::string& text) {
  if (IsOneOf(text, "", "~", "null", "Null", "NULL")) return nullptr;
  if (IsOneOf(text, "true", "True", "TRUE")) return true;
  if (IsOneOf(text, "false", "False", "FALSE")) return false;
  if (const auto based = Based(text)) return *based;
  if (const auto number = Decimal(text)) return *number;
  return text;
}

Json KubernetesScalar(const std::string& text) {
  if (const auto word = Word(text)) return *word;
  if (!IsDigit(text[0]) && !IsSign(text[0]) && text[0] != '.') return text;
  const std::string plain = WithoutUnderscores(text);
  if (text[0] != '.') {
    if (const auto integer = YamlInteger(plain)) return *integer;
  }
  if (const auto number = Float(plain)) return *number;
  return text;
}

}  // namespace fluxnetes::cluster
