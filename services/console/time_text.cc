#include "services/console/time_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace fluxnetes::services {
namespace {

std::tm Broken(sql::Timestamp time) {
  return fmt::gmtime(std::chrono::system_clock::to_time_t(
      std::chrono::floor<std::chrono::seconds>(time)));
}

}  // namespace

std::string ShortDuration(std::chrono::milliseconds duration) {
  const std::int64_t ms = std::max<std::int64_t>(0, duration.count());
  const std::int64_t seconds = ms / 1000;
  const auto pair = [](std::int64_t big, const char* unit, std::int64_t small,
                       const char* part) {
    return small == 0 ? fmt::format("{}{}", big, unit)
                      : fmt::format("{}{}{}{}", big, unit, small, part);
  };
  if (ms < 1000) return ms == 0 ? "0s" : fmt::format("{}ms", ms);
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (seconds < 600) return pair(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 7'200) return fmt::format("{}m", seconds / 60);
  if (seconds < 28'800)
    return pair(seconds / 3'600, "h", seconds % 3'600 / 60, "m");
  if (seconds < 172'800) return fmt::format("{}h", seconds / 3'600);
  return fmt::format("{}d", seconds / 86'400);
}

std::string Age(sql::Timestamp then, sql::Timestamp now) {
  return ShortDuration(std::chrono::floor<std::chrono::seconds>(now - then));
}

std::string Relative(sql::Timestamp then, sql::Timestamp now) {
  if (then > now)
    return "in " +
           ShortDuration(std::chrono::ceil<std::chrono::seconds>(then - now));
  return Age(then, now) + " ago";
}

std::string Rfc3339(sql::Timestamp time) {
  const auto micros =
      (time - std::chrono::floor<std::chrono::seconds>(time)).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", Broken(time), micros);
}

std::string ShortTime(sql::Timestamp time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", Broken(time));
}

}  // namespace fluxnetes::services
