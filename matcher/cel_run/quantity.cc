#include "matcher/cel_run/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

namespace fluxnetes::matcher::cel {
namespace {

constexpr int kNano = -9;
constexpr Int128 kMostInt = std::numeric_limits<std::int64_t>::max();
// Digits beyond these are more than any quantity that can be held has.
constexpr std::size_t kMostDigits = 38;

bool IsQuantityDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<Int128> Multiply(Int128 one, Int128 other) {
  Int128 product = 0;
  if (__builtin_mul_overflow(one, other, &product)) return std::nullopt;
  return product;
}

std::optional<Int128> TimesTen(Int128 digits, int times) {
  if (digits == 0) return digits;
  for (; times > 0; --times) {
    const std::optional<Int128> more = Multiply(digits, 10);
    if (!more) return std::nullopt;
    digits = *more;
  }
  return digits;
}

bool FitsInt(Int128 digits) {
  return digits <= kMostInt && digits >= -kMostInt;
}

// The parts of a quantity's text.
struct Parts {
  bool negative = false;
  std::string_view whole;  // without leading zeros, or "0"
  std::string_view fraction;
  std::string_view suffix;
};

std::string_view TakeDigits(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && IsQuantityDigit(rest[end])) ++end;
  const std::string_view digits = rest.substr(0, end);
  rest.remove_prefix(end);
  return digits;
}

std::optional<Parts> Split(std::string_view text) {
  Parts parts;
  if (text.empty()) return std::nullopt;
  if (text[0] == '-' || text[0] == '+') {
    parts.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  while (text.starts_with('0')) text.remove_prefix(1);
  parts.whole = TakeDigits(text);
  if (parts.whole.empty()) parts.whole = "0";
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = TakeDigits(text);
  }
  parts.suffix = text;
  return parts;
}

struct Suffix {
  bool binary = false;
  int exponent = 0;  // of ten, or of two
};

std::optional<Suffix> ReadSuffix(std::string_view text) {
  constexpr auto kSuffixes =
      std::to_array<std::pair<std::string_view, Suffix>>({{"", {false, 0}},
                                                          {"n", {false, -9}},
                                                          {"u", {false, -6}},
                                                          {"m", {false, -3}},
                                                          {"k", {false, 3}},
                                                          {"M", {false, 6}},
                                                          {"G", {false, 9}},
                                                          {"T", {false, 12}},
                                                          {"P", {false, 15}},
                                                          {"E", {false, 18}},
                                                          {"Ki", {true, 10}},
                                                          {"Mi", {true, 20}},
                                                          {"Gi", {true, 30}},
                                                          {"Ti", {true, 40}},
                                                          {"Pi", {true, 50}},
                                                          {"Ei", {true, 60}}});
  for (const auto& [name, suffix] : kSuffixes) {
    if (name == text) return suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || !IsQuantityDigit(text[0])) return std::nullopt;
  }
  Suffix suffix;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, suffix.exponent);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  // Beyond these nothing but zero can be held, or it is a billionth.
  suffix.exponent = std::clamp(suffix.exponent, -1000, 1000);
  return suffix;
}

std::optional<Int128> ReadDigits(const Parts& parts) {
  Int128 digits = 0;
  for (const std::string_view part : {parts.whole, parts.fraction}) {
    for (const char c : part) {
      const std::optional<Int128> more = Multiply(digits, 10);
      if (!more) return std::nullopt;
      if (__builtin_add_overflow(*more, c - '0', &digits)) return std::nullopt;
    }
  }
  return digits;
}

// Whether Kubernetes keeps the number in 64 bits: it guesses by its length.
bool IsKeptShort(const Parts& parts, const Suffix& suffix) {
  const int length = static_cast<int>(parts.whole.size());
  const int fraction = static_cast<int>(parts.fraction.size());
  if (suffix.binary) {
    const int digits =
        static_cast<int>(static_cast<float>(suffix.exponent) * 3 / 10);
    return fraction == 0 && 15 - length - digits - 1 >= 0;
  }
  return 18 - length - fraction >= 0 && suffix.exponent - fraction >= kNano;
}

// Rounds up to billionths, away from zero.
Quantity Round(Quantity quantity) {
  while (quantity.scale < kNano) {
    const bool rest = quantity.digits % 10 != 0;
    quantity.digits = quantity.digits / 10 + (rest ? 1 : 0);
    ++quantity.scale;
    if (quantity.digits == 0) quantity.scale = kNano;
    // A rest stays one for all further digits.
    if (rest && quantity.digits == 1 && quantity.scale < kNano) {
      quantity.scale = kNano;
    }
  }
  return quantity;
}

}  // namespace

std::optional<Quantity> ReadQuantity(std::string_view text) {
  const std::optional<Parts> parts = Split(text);
  if (!parts) return std::nullopt;
  const std::optional<Suffix> suffix = ReadSuffix(parts->suffix);
  if (!suffix) return std::nullopt;
  if (parts->whole.size() + parts->fraction.size() > kMostDigits) {
    return std::nullopt;
  }
  std::optional<Int128> digits = ReadDigits(*parts);
  if (!digits) return std::nullopt;
  const bool is_short = IsKeptShort(*parts, *suffix);
  Quantity quantity{*digits, -static_cast<int>(parts->fraction.size()),
                    !is_short};
  if (suffix->binary) {
    digits = Multiply(quantity.digits, Int128{1} << suffix->exponent);
    if (!digits) return std::nullopt;
    quantity.digits = *digits;
  } else {
    quantity.scale += suffix->exponent;
  }
  if (quantity.decimal) {
    quantity = Round(quantity);
    const std::optional<Int128> nano = NanoOf(quantity);
    if (!nano) return std::nullopt;
    if (*nano != 0) quantity = {*nano, kNano, true};
    const Quantity most{kMostInt, 0, true};
    if (suffix->binary && Compare(quantity, most) > 0) quantity = most;
  }
  if (parts->negative) quantity.digits = -quantity.digits;
  if (!NanoOf(quantity)) return std::nullopt;
  return quantity;
}

Quantity QuantityOfNano(Int128 nano) {
  const Int128 whole = nano / 1'000'000'000;
  if (whole * 1'000'000'000 == nano && FitsInt(whole)) return {whole, 0, false};
  Quantity quantity{nano, kNano, false};
  while (quantity.scale < 0 && quantity.digits % 10 == 0) {
    quantity.digits /= 10;
    ++quantity.scale;
  }
  quantity.decimal = !FitsInt(quantity.digits);
  return quantity;
}

std::optional<Int128> NanoOf(const Quantity& quantity) {
  return TimesTen(quantity.digits, quantity.scale - kNano);
}

std::strong_ordering Compare(const Quantity& one, const Quantity& other) {
  // Every quantity fits in billionths: ReadQuantity and Add see to it.
  return *NanoOf(one) <=> *NanoOf(other);
}

std::optional<Quantity> Add(const Quantity& one, const Quantity& other) {
  const bool both_short = !one.decimal && !other.decimal;
  if (both_short && other.digits == 0) return one;
  if (both_short && one.digits == 0) return other;
  const int scale = std::min(one.scale, other.scale);
  const std::optional<Int128> left = TimesTen(one.digits, one.scale - scale);
  const std::optional<Int128> right =
      TimesTen(other.digits, other.scale - scale);
  Quantity sum{0, scale, !both_short};
  if (!left || !right || __builtin_add_overflow(*left, *right, &sum.digits)) {
    return std::nullopt;
  }
  if (!FitsInt(*left) || !FitsInt(*right) || !FitsInt(sum.digits)) {
    sum.decimal = true;
  }
  if (!NanoOf(sum)) return std::nullopt;
  return sum;
}

Quantity Negate(const Quantity& quantity) {
  return {-quantity.digits, quantity.scale, quantity.decimal};
}

std::optional<std::int64_t> AsInteger(const Quantity& quantity) {
  if (quantity.decimal || quantity.scale < 0) return std::nullopt;
  const std::optional<Int128> whole = TimesTen(quantity.digits, quantity.scale);
  if (!whole || !FitsInt(*whole)) return std::nullopt;
  return static_cast<std::int64_t>(*whole);
}

double AsApproximateFloat(const Quantity& quantity) {
  const auto digits = static_cast<double>(quantity.digits);
  double power = 1;  // exact: no quantity that can be held has 10^22
  for (int i = 0; i < std::abs(quantity.scale); ++i) power *= 10;
  return digits * (quantity.scale < 0 ? 1 / power : power);
}

}  // namespace fluxnetes::matcher::cel
