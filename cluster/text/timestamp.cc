#include "cluster/text/timestamp.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "cluster/text/digits.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hh_mm_ss;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Whether the text has the shape: 0 stands for a digit, any other character for
// itself.
bool Matches(std::string_view text, std::string_view shape) {
  return text.size() == shape.size() &&
         std::equal(
             text.begin(), text.end(), shape.begin(),
             [](char c, char s) { return s == '0' ? IsDigit(c) : c == s; });
}

int ValueOfDigits(std::string_view digits) {
  int number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return number;
}

// Takes ".123" off the front; drops digits beyond the sixth.
microseconds TakeFraction(std::string_view& text) {
  if (text.size() < 2 || text[0] != '.' || !IsDigit(text[1])) return {};
  text.remove_prefix(1);
  microseconds fraction{0};
  for (int scale = 100'000; !text.empty() && IsDigit(text[0]); scale /= 10) {
    fraction += microseconds((text[0] - '0') * scale);
    text.remove_prefix(1);
  }
  return fraction;
}

std::optional<minutes> Offset(std::string_view text) {
  if (text == "Z" || text == "z") return minutes(0);
  if (!Matches(text, "+00:00") && !Matches(text, "-00:00")) return {};
  const minutes offset = hours(ValueOfDigits(text.substr(1, 2))) +
                         minutes(ValueOfDigits(text.substr(4, 2)));
  return text[0] == '-' ? -offset : offset;
}

template <typename Duration>
std::string Date(std::chrono::sys_time<Duration> time) {
  const std::chrono::year_month_day date(floor<days>(time));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT",
                static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text.data();
}

std::string Clock(const hh_mm_ss<microseconds>& clock) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%02d:%02d:%02d",
                static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

hh_mm_ss<microseconds> ClockOf(Time time) {
  return hh_mm_ss<microseconds>(time - floor<days>(time));
}

}  // namespace

std::optional<Time> ParseTimestamp(std::string_view text) {
  static constexpr std::string_view kShape = "0000-00-00T00:00:00";
  const std::string_view stamp = text.substr(0, kShape.size());
  if (!Matches(stamp, kShape)) return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t length) {
    return ValueOfDigits(stamp.substr(at, length));
  };
  const std::chrono::year_month_day date(
      std::chrono::year(part(0, 4)),
      std::chrono::month(static_cast<unsigned>(part(5, 2))),
      std::chrono::day(static_cast<unsigned>(part(8, 2))));
  if (!date.ok() || part(11, 2) > 23 || part(14, 2) > 59 || part(17, 2) > 60) {
    return std::nullopt;
  }
  std::string_view rest = text.substr(kShape.size());
  const microseconds fraction = TakeFraction(rest);
  const auto offset = Offset(rest);
  if (!offset) return std::nullopt;
  return std::chrono::sys_days(date) + hours(part(11, 2)) +
         minutes(part(14, 2)) + seconds(part(17, 2)) + fraction - *offset;
}

std::string FormatTimestamp(Time time) {
  return Date(time) + Clock(ClockOf(time)) + "Z";
}

std::string FormatMicroTimestamp(Time time) {
  const auto clock = ClockOf(time);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ",
                static_cast<int>(clock.subseconds().count()));
  return Date(time) + Clock(clock) + fraction.data();
}

}  // namespace fluxnetes::cluster
