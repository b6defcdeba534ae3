#include "cluster/text/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include "cluster/text/digits.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::size_t kLongestText = 64;
constexpr int kMilli = 1000;

// A number: decimal digits, the most significant first, and the power of ten of
// the last digit.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

struct Suffix {
  std::string_view text;
  int ten;   // power of 10
  int kibi;  // power of 1024
};

constexpr std::array kSuffixes = {
    Suffix{"", 0, 0},   Suffix{"n", -9, 0}, Suffix{"u", -6, 0},
    Suffix{"m", -3, 0}, Suffix{"k", 3, 0},  Suffix{"M", 6, 0},
    Suffix{"G", 9, 0},  Suffix{"T", 12, 0}, Suffix{"P", 15, 0},
    Suffix{"E", 18, 0}, Suffix{"Ki", 0, 1}, Suffix{"Mi", 0, 2},
    Suffix{"Gi", 0, 3}, Suffix{"Ti", 0, 4}, Suffix{"Pi", 0, 5},
    Suffix{"Ei", 0, 6}};

[[noreturn]] void RefuseQuantity(std::string_view text,
                                 const std::string& why) {
  throw std::invalid_argument(
      "quantity " + Quote(text) + ": " + why +
      "; write a number with an optional suffix (n u m k M G T P E, Ki Mi Gi "
      "Ti Pi Ei) or exponent, like 2, 250m, 4Gi, 1e3");
}

std::optional<Suffix> ParseSuffix(std::string_view text) {
  const auto* const known = std::ranges::find(kSuffixes, text, &Suffix::text);
  if (known != kSuffixes.end()) return *known;
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '+' && IsDigit(text[1])) {
    text.remove_prefix(1);
  }
  int exponent = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), exponent);
  // Beyond these bounds the result is the same: too large, or rounded up to 1.
  if (error == std::errc::result_out_of_range) {
    exponent = text[0] == '-' ? -kMilli : kMilli;
  } else if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return Suffix{"", std::clamp(exponent, -kMilli, kMilli), 0};
}

void Multiply(std::string& digits, int factor) {
  int carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += (*digit - '0') * factor;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry != 0) digits.insert(0, std::to_string(carry));
}

// Rounds the number up; returns nothing if it needs more than 63 bits.
std::optional<std::int64_t> RoundUp(Decimal number) {
  const std::size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) return 0;
  number.digits.erase(0, first);
  const auto size = static_cast<int>(number.digits.size());
  if (size + number.exponent > 19) return std::nullopt;
  bool rest = false;
  if (number.exponent >= 0) {
    number.digits.append(static_cast<std::size_t>(number.exponent), '0');
  } else {
    const auto whole =
        static_cast<std::size_t>(std::max(0, size + number.exponent));
    rest = number.digits.find_first_not_of('0', whole) != std::string::npos;
    number.digits.resize(whole);
  }
  std::uint64_t value = 0;  // 19 digits fit
  for (const char digit : number.digits) {
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  value += rest ? 1 : 0;
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::int64_t Parse(std::string_view text, int scale) {
  if (text.empty()) RefuseQuantity(text, "is empty");
  if (text.size() > kLongestText)
    RefuseQuantity(text, "is longer than 64 characters");
  std::string_view rest = text;
  const bool negative = rest[0] == '-';
  if (negative || rest[0] == '+') rest.remove_prefix(1);

  Decimal number;
  bool point = false;
  std::size_t length = 0;
  for (; length < rest.size(); ++length) {
    const char c = rest[length];
    if (c == '.' && !point) {
      point = true;
    } else if (IsDigit(c)) {
      number.digits += c;
      number.exponent -= point ? 1 : 0;
    } else {
      break;
    }
  }
  if (number.digits.empty())
    RefuseQuantity(text, "does not begin with a number");
  rest.remove_prefix(length);
  const auto suffix = ParseSuffix(rest);
  if (!suffix) RefuseQuantity(text, "has the unknown suffix " + Quote(rest));
  number.exponent += suffix->ten;
  for (int i = 0; i < suffix->kibi; ++i) Multiply(number.digits, 1024);
  Multiply(number.digits, scale);

  const auto value = RoundUp(std::move(number));
  if (negative && value != 0) RefuseQuantity(text, "is negative");
  if (!value) RefuseQuantity(text, "needs more than 64 bits");
  return *value;
}

std::string WithSuffix(std::int64_t value, int base,
                       std::span<const std::string_view> suffixes) {
  std::size_t power = 0;
  while (power + 1 < suffixes.size() && value != 0 && value % base == 0) {
    value /= base;
    ++power;
  }
  return std::to_string(value) + std::string(suffixes[power]);
}

}  // namespace

std::int64_t ParseCpuMilli(std::string_view text) {
  return Parse(text, kMilli);
}

std::int64_t ParseQuantity(std::string_view text) { return Parse(text, 1); }

std::string FormatCpu(std::int64_t milli) {
  if (milli % kMilli == 0) return std::to_string(milli / kMilli);
  return std::to_string(milli) + "m";
}

std::string FormatBytes(std::int64_t bytes) {
  static constexpr std::array<std::string_view, 7> kBinary = {
      "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  static constexpr std::array<std::string_view, 7> kDecimal = {
      "", "k", "M", "G", "T", "P", "E"};
  if (bytes % 1024 == 0) return WithSuffix(bytes, 1024, kBinary);
  return WithSuffix(bytes, 1000, kDecimal);
}

}  // namespace fluxnetes::cluster
