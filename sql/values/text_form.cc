#include "sql/values/text_form.h"

#include <fmt/format.h>

#include <optional>

namespace fluxnetes::sql {
namespace {

// Reads a number and the character that must follow it.
template <typename T>
T Take(std::string_view& text, char after) {
  const auto end = text.find(after);
  if (end == text.npos) throw std::invalid_argument("");
  const T value = FromText<T>(text.substr(0, end));
  text.remove_prefix(end + 1);
  return value;
}

std::chrono::microseconds Fraction(std::string_view digits) {
  std::string six(digits.substr(0, 6));
  six.resize(6, '0');
  return std::chrono::microseconds(FromText<long>(six));
}

// Parses digits as a number; nothing if a character is not a digit.
std::optional<int> Digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// The usual form, with or without a fraction: 2026-11-22 00:34:53.123456+00.
// Ten times as fast as the general parser.
std::optional<Timestamp> ParseUsual(std::string_view text) {
  using namespace std::chrono;
  if (text.size() < 22 || text.size() > 29 || !text.ends_with("+00") ||
      text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' ||
      text[16] != ':' || (text.size() > 22 && text[19] != '.'))
    return std::nullopt;
  const auto y = Digits(text.substr(0, 4));
  const auto mo = Digits(text.substr(5, 2));
  const auto d = Digits(text.substr(8, 2));
  const auto h = Digits(text.substr(11, 2));
  const auto mi = Digits(text.substr(14, 2));
  const auto s = Digits(text.substr(17, 2));
  const std::size_t places = text.size() > 22 ? text.size() - 23 : 0;
  auto fraction = Digits(text.substr(places == 0 ? 19 : 20, places));
  if (!y || !mo || !d || !h || !mi || !s || !fraction) return std::nullopt;
  for (std::size_t i = places; i < 6; ++i) *fraction *= 10;
  const year_month_day date(year(*y), month(static_cast<unsigned>(*mo)),
                            day(static_cast<unsigned>(*d)));
  return sys_days(date) + hours(*h) + minutes(*mi) + seconds(*s) +
         microseconds(*fraction);
}

Timestamp ParseTimestamp(std::string_view text) {
  using namespace std::chrono;
  if (const auto usual = ParseUsual(text)) return *usual;
  const bool before_christ = text.ends_with(" BC");
  if (before_christ) text.remove_suffix(3);
  if (!text.ends_with("+00")) throw std::invalid_argument("");
  text.remove_suffix(3);
  const int written = Take<int>(text, '-');
  const auto month_number = Take<unsigned>(text, '-');
  const auto day_number = Take<unsigned>(text, ' ');
  const year_month_day date(year(before_christ ? 1 - written : written),
                            month(month_number), day(day_number));
  const hours hour(Take<int>(text, ':'));
  const minutes minute(Take<int>(text, ':'));
  const auto point = text.find('.');
  const seconds second(FromText<int>(text.substr(0, point)));
  const microseconds fraction =
      point == text.npos ? microseconds(0) : Fraction(text.substr(point + 1));
  return sys_days(date) + hour + minute + second + fraction;
}

}  // namespace

void NoSuchValue(std::string_view text, const char* type) {
  throw std::invalid_argument(
      fmt::format("'{}' is no {}", text.substr(0, 100), type));
}

bool BoolFromText(std::string_view text) {
  if (text == "t") return true;
  if (text != "f") NoSuchValue(text, "truth value");
  return false;
}

Timestamp TimestampFromText(std::string_view text) {
  if (text == "infinity") return Timestamp::max();
  if (text == "-infinity") return Timestamp::min();
  try {
    return ParseTimestamp(text);
  } catch (const std::invalid_argument&) {
    NoSuchValue(text, "time with time zone in UTC");
  }
}

std::vector<std::string> ElementsFromText(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}')
    NoSuchValue(text, "array of one dimension");
  std::vector<std::string> elements;
  std::size_t at = 1;
  while (text[at] != '}') {
    std::string element;
    const bool quoted = text[at] == '"';
    if (quoted) ++at;
    for (const char* ends = quoted ? "\"" : ",}";
         std::string_view(ends).find(text[at]) == std::string_view::npos;
         ++at) {
      if (text[at] == '{' && !quoted) NoSuchValue(text, "flat array");
      if (text[at] == '\\') ++at;
      if (at + 1 >= text.size()) NoSuchValue(text, "array");
      element.push_back(text[at]);
    }
    if (quoted) ++at;
    if (!quoted && element == "NULL") NoSuchValue(text, "array without NULL");
    elements.push_back(std::move(element));
    if (at < text.size() && text[at] == ',') ++at;
    if (at >= text.size()) NoSuchValue(text, "array");
  }
  return elements;
}

}  // namespace fluxnetes::sql
