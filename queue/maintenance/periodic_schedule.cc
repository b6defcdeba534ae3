#include "queue/maintenance/periodic_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace fluxnetes::queue {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::sys_days;

// The next 29 February may be eight years away.
constexpr days kFarthest{366 * 9};

constexpr std::array<std::string_view, 12> kMonths = {
    "jan", "feb", "mar", "apr", "may", "jun",
    "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {
    "sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Shorthand {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<Shorthand, 7> kShorthands = {{{"@yearly", "0 0 1 1 *"},
                                                   {"@annually", "0 0 1 1 *"},
                                                   {"@monthly", "0 0 1 * *"},
                                                   {"@weekly", "0 0 * * 0"},
                                                   {"@daily", "0 0 * * *"},
                                                   {"@midnight", "0 0 * * *"},
                                                   {"@hourly", "0 * * * *"}}};

[[noreturn]] void Refuse(std::string_view part, std::string_view right) {
  throw std::invalid_argument(fmt::format(
      "'{}' is not allowed in a schedule; right would be {}", part, right));
}

std::optional<int> Number(std::string_view text) {
  int number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  if (text.empty() || text.back() == at) parts.emplace_back();
  return parts;
}

std::string Lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// The values of one of the five fields.
struct Field {
  std::string_view name;
  int least;
  int most;
  std::span<const std::string_view> names;  // the first is `least`
};

int Value(const std::string& text, const Field& field) {
  std::optional<int> value = Number(text);
  const auto named = std::ranges::find(field.names, Lower(text));
  if (named != field.names.end())
    value = field.least + static_cast<int>(named - field.names.begin());
  if (!value || *value < field.least || *value > field.most)
    Refuse(text, fmt::format("a {} from {} to {}", field.name, field.least,
                             field.most));
  return *value;
}

// "*", "7", "mon-fri", "*/15", "10-40/10".
template <std::size_t N>
void AddRange(const std::string& text, const Field& field,
              std::bitset<N>& values) {
  const auto slash = text.find('/');
  const std::string range = text.substr(0, slash);
  int step = 1;
  if (slash != std::string::npos) {
    step = Number(text.substr(slash + 1)).value_or(0);
    if (step < 1 || step > field.most) Refuse(text, "a step of at least 1");
  }
  int first = field.least;
  int last = field.most;
  if (range != "*") {
    const auto dash = range.find('-');
    first = Value(range.substr(0, dash), field);
    if (dash != std::string::npos)
      last = Value(range.substr(dash + 1), field);
    else if (slash == std::string::npos)
      last = first;
    if (first > last) Refuse(text, "a range from low to high");
  }
  for (int value = first; value <= last; value += step)
    values.set(static_cast<std::size_t>(value) % N);
}

template <std::size_t N>
void AddField(const std::string& text, const Field& field,
              std::bitset<N>& values) {
  for (const std::string& part : Split(text, ','))
    AddRange(part, field, values);
}

std::chrono::seconds ParseInterval(const std::string& text) {
  constexpr std::array<std::pair<char, int>, 4> kUnits = {
      {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}}};
  constexpr int kMostDays = 366;
  const int number =
      text.empty() ? 0 : Number(text.substr(0, text.size() - 1)).value_or(0);
  for (const auto& [unit, seconds] : kUnits)
    if (text.ends_with(unit) && number >= 1 &&
        number <= kMostDays * 86'400 / seconds)
      return std::chrono::seconds(std::int64_t{number} * seconds);
  Refuse(text, "an interval up to 366 days, like 90s, 5m, 2h or 1d");
}

}  // namespace

PeriodicSchedule::PeriodicSchedule(const std::string& text) {
  constexpr std::string_view kEvery = "every ";
  if (text.starts_with(kEvery)) {
    interval_ = ParseInterval(text.substr(kEvery.size()));
    return;
  }
  const auto* const shorthand =
      std::ranges::find(kShorthands, text, &Shorthand::name);
  ParseCron(shorthand == kShorthands.end() ? text
                                           : std::string(shorthand->fields));
  Next({});  // throws if there is no tick
}

void PeriodicSchedule::ParseCron(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> fields;
  for (std::string field; in >> field;) fields.push_back(field);
  if (fields.size() != 5)
    Refuse(text,
           "\"every 5m\", or five fields like \"30 4 * * 1-5\": minute, hour, "
           "day of month, month, day of week");
  AddField(fields[0], {"minute", 0, 59, {}}, minutes_);
  AddField(fields[1], {"hour", 0, 23, {}}, hours_);
  AddField(fields[2], {"day of month", 1, 31, {}}, days_);
  AddField(fields[3], {"month", 1, 12, kMonths}, months_);
  AddField(fields[4], {"day of week", 0, 7, kWeekdays}, weekdays_);
  either_day_ = fields[2][0] != '*' && fields[4][0] != '*';
}

bool PeriodicSchedule::FitsDay(sys_days day) const {
  const std::chrono::year_month_day date(day);
  if (!months_[static_cast<unsigned>(date.month())]) return false;
  const bool of_month = days_[static_cast<unsigned>(date.day())];
  const bool of_week = weekdays_[std::chrono::weekday(day).c_encoding()];
  return either_day_ ? of_month || of_week : of_month && of_week;
}

sql::Timestamp PeriodicSchedule::Next(sql::Timestamp after) const {
  if (interval_.count() > 0) {
    const auto past = std::chrono::floor<std::chrono::seconds>(after)
                          .time_since_epoch()
                          .count();
    const auto length = interval_.count();
    const auto ticks = past / length - (past % length < 0 ? 1 : 0);
    return sql::Timestamp(std::chrono::seconds((ticks + 1) * length));
  }
  const auto start = std::chrono::floor<minutes>(after) + minutes(1);
  const sys_days today = std::chrono::floor<days>(start);
  for (sys_days day = today; day <= today + kFarthest; day += days(1)) {
    if (!FitsDay(day)) continue;
    for (int hour = 0; hour < 24; ++hour)
      for (int minute = 0; hours_[hour] && minute < 60; ++minute) {
        const auto tick = day + hours(hour) + minutes(minute);
        if (minutes_[minute] && tick >= start) return tick;
      }
  }
  throw std::invalid_argument("a schedule that never comes, like 30 February");
}

}  // namespace fluxnetes::queue
