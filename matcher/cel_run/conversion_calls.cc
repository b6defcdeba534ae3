// Conversions between types: int("7"), string(1.5), type(x).
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "matcher/cel_run/calls.h"

namespace fluxnetes::matcher::cel {
namespace {

using enum Value::Kind;

// As Go reads a number: with a sign in front, and nothing else.
template <class T>
bool ReadWhole(std::string_view text, T& number) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
    if constexpr (std::is_unsigned_v<T>) return false;
  }
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

// Go's words for what is no finite number, in any case, with a sign.
bool ReadSpecial(std::string_view text, double& number) {
  std::string word;
  for (const char c : text) word += Lower(c);
  const bool negative = word.starts_with('-');
  const bool signed_word = negative || word.starts_with('+');
  if (signed_word) word.erase(0, 1);
  if (word == "nan" && !signed_word) {
    number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (word != "inf" && word != "infinity") return false;
  number = std::numeric_limits<double>::infinity() * (negative ? -1 : 1);
  return true;
}

bool ReadDouble(std::string_view text, double& number) {
  if (ReadSpecial(text, number)) return true;
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  std::string_view digits = text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    // from_chars takes hexadecimal without its prefix, and Go demands `p`.
    digits.remove_prefix(2);
    if (digits.find_first_of("pP") == digits.npos || digits.starts_with('-')) {
      return false;
    }
    const char* const end = digits.data() + digits.size();
    const auto read =
        std::from_chars(digits.data(), end, number, std::chars_format::hex);
    if (read.ec != std::errc() || read.ptr != end) return false;
    if (text.starts_with('-')) number = -number;
    return true;
  }
  if (digits.empty() || Lower(digits[0]) == 'i' || Lower(digits[0]) == 'n') {
    return false;
  }
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ptr != end) return false;
  if (read.ec == std::errc()) return true;
  // Out of range: too small is zero in Go, too large is an error.
  const std::size_t exponent = text.find_first_of("eE");
  const bool small = exponent != text.npos && exponent + 1 < text.size() &&
                     text[exponent + 1] == '-';
  if (small) number = text.starts_with('-') ? -0.0 : 0.0;
  return small;
}

// As Go's %g writes it: the shortest digits that give the number back, with an
// exponent below 10^-4 and from 10^6.
std::string DoubleText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
  std::array<char, 64> room;
  const auto written = std::to_chars(room.data(), room.data() + room.size(),
                                     number, std::chars_format::scientific);
  std::string text(room.data(), written.ptr);
  const std::size_t mark = text.find('e');
  const int exponent = std::stoi(text.substr(mark + 1));
  if (exponent < -4 || exponent >= 6) return text;
  const auto plain = std::to_chars(room.data(), room.data() + room.size(),
                                   number, std::chars_format::fixed);
  return {room.data(), plain.ptr};
}

Value Refused(Evaluation& evaluation, std::string_view type,
              const Value& from) {
  return evaluation.memory.Error(
      fmt::format("'{}' is no {}", from.text.substr(0, 100), type));
}

Value ToInt(Evaluation& evaluation, Operands operands) {
  const Value& value = operands[0];
  std::int64_t number = 0;
  switch (value.kind) {
    case kInt:
      return value;
    case kUint:
      if (value.natural > std::numeric_limits<std::int64_t>::max()) {
        return Value::Error("an int overflows");
      }
      return Value::Int(static_cast<std::int64_t>(value.natural));
    case kDouble:
      if (!(value.real > -0x1p63 && value.real < 0x1p63)) {
        return Value::Error("an int overflows");
      }
      return Value::Int(static_cast<std::int64_t>(value.real));
    case kString:
      if (!ReadWhole(value.text, number)) {
        return Refused(evaluation, "int", value);
      }
      return Value::Int(number);
    default:
      return NoOverload();
  }
}

Value ToUint(Evaluation& evaluation, Operands operands) {
  const Value& value = operands[0];
  std::uint64_t number = 0;
  switch (value.kind) {
    case kUint:
      return value;
    case kInt:
      if (value.integer < 0) return Value::Error("a uint overflows");
      return Value::Uint(static_cast<std::uint64_t>(value.integer));
    case kDouble:
      if (!(value.real >= 0 && value.real < 0x1p64)) {
        return Value::Error("a uint overflows");
      }
      return Value::Uint(static_cast<std::uint64_t>(value.real));
    case kString:
      if (!ReadWhole(value.text, number)) {
        return Refused(evaluation, "uint", value);
      }
      return Value::Uint(number);
    default:
      return NoOverload();
  }
}

Value ToDouble(Evaluation& evaluation, Operands operands) {
  const Value& value = operands[0];
  double number = 0;
  switch (value.kind) {
    case kDouble:
      return value;
    case kInt:
      return Value::Double(static_cast<double>(value.integer));
    case kUint:
      return Value::Double(static_cast<double>(value.natural));
    case kString:
      if (!ReadDouble(value.text, number)) {
        return Refused(evaluation, "double", value);
      }
      return Value::Double(number);
    default:
      return NoOverload();
  }
}

Value ToString(Evaluation& evaluation, Operands operands) {
  const Value& value = operands[0];
  const auto keep = [&evaluation](const std::string& text) {
    return Value::String(evaluation.memory.KeepText(text));
  };
  switch (value.kind) {
    case kString:
      return value;
    case kBool:
      return Value::String(value.boolean ? "true" : "false");
    case kInt:
      return keep(std::to_string(value.integer));
    case kUint:
      return keep(std::to_string(value.natural));
    case kDouble:
      return keep(DoubleText(value.real));
    default:
      return NoOverload();
  }
}

Value ToBool(Evaluation& evaluation, Operands operands) {
  const Value& value = operands[0];
  if (value.kind == kBool) return value;
  if (value.kind != kString) return NoOverload();
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (value.text == yes) return Value::Bool(true);
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (value.text == no) return Value::Bool(false);
  }
  return Refused(evaluation, "bool", value);
}

Value ToDyn(Evaluation&, Operands operands) { return operands[0]; }

Value TypeOf(Evaluation&, Operands operands) {
  return Value::TypeNamed(TypeName(operands[0]));
}

}  // namespace

std::span<const NamedCall> ConversionCalls() {
  static constexpr auto kCalls = std::to_array<NamedCall>({
      {"int", ToInt},
      {"uint", ToUint},
      {"double", ToDouble},
      {"string", ToString},
      {"bool", ToBool},
      {"dyn", ToDyn},
      {"type", TypeOf},
  });
  return kCalls;
}

}  // namespace fluxnetes::matcher::cel
