#include "services/usage/usage_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/usage/usage_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {
namespace {

using UsageJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kKeys = {"queue", "namespace",
                                                   "account", "user"};
constexpr double kHour = 3600;
constexpr double kGib = 1 << 30;

struct UsageRow {
  std::string period;
  std::array<std::string, 4> keys;        // as in kKeys; empty: none, or all
  std::map<std::string, double> seconds;  // by resource
};

struct Usage {
  std::vector<UsageRow> rows;
  std::vector<std::string> others;  // resources besides the three that all have
  std::optional<sql::Timestamp> as_of;
};

bool IsKey(const UsageOptions& options, std::string_view key) {
  return std::ranges::find(options.by, key) != options.by.end();
}

// Reads "2026-11" or "2026-11-27"; a month is its first day.
std::string DayOf(const std::string& flag, const std::string& text) {
  int year = 0;
  int month = 0;
  int day = 1;
  int end = 0;
  const bool whole =
      (std::sscanf(text.c_str(), "%4d-%2d%n", &year, &month, &end) == 2 &&
       end == 7 && text.size() == 7) ||
      (std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &end) ==
           3 &&
       end == 10 && text.size() == 10);
  const std::chrono::year_month_day date{
      std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
      std::chrono::day(static_cast<unsigned>(day))};
  if (!whole || !date.ok())
    throw Failure(ExitCode::kUsage,
                  fmt::format("{}: '{}' is no month or day", flag, text),
                  "Right would be 2026-11 or 2026-11-27.");
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

Usage ReadUsage(const UsageOptions& options, sql::Transaction& transaction) {
  Usage usage;
  const std::string since =
      options.since.empty() ? "-infinity" : DayOf("--since", options.since);
  const std::string until =
      options.until.empty() ? "infinity" : DayOf("--until", options.until);
  for (const sql::Row row : transaction.Run(
           queries::kListUsage, std::string(options.daily ? "day" : "month"),
           since, until, options.by, options.scope, options.queue,
           options.account, options.user)) {
    UsageRow next;
    next.period =
        row.Get<std::string>("period").substr(0, options.daily ? 10 : 7);
    next.keys = {
        row.Get<std::string>("queue"), row.Get<std::string>("namespace"),
        row.Get<std::string>("account"), row.Get<std::string>("user_name")};
    if (usage.rows.empty() || usage.rows.back().period != next.period ||
        usage.rows.back().keys != next.keys)
      usage.rows.push_back(std::move(next));
    const auto resource = row.Get<std::string>("resource");
    usage.rows.back().seconds[resource] = row.Get<double>("used");
    if (resource != "cpu" && resource != "memory" && resource != "pods" &&
        std::ranges::find(usage.others, resource) == usage.others.end())
      usage.others.push_back(resource);
  }
  std::ranges::sort(usage.others);
  for (const sql::Row row : transaction.Run(queries::kReadUsageClock))
    usage.as_of = row.Find<sql::Timestamp>("rolled_up_to");
  return usage;
}

double HoursOf(const UsageRow& row, const std::string& resource,
               double unit = 1) {
  const auto found = row.seconds.find(resource);
  return found == row.seconds.end() ? 0 : found->second / kHour / unit;
}

std::vector<std::string> HeadingsOf(const UsageOptions& options,
                                    const Usage& usage) {
  std::vector<std::string> headings = {options.daily ? "DAY" : "MONTH"};
  for (const std::string_view key : kKeys) {
    if (!IsKey(options, key)) continue;
    std::string heading(key);
    std::ranges::transform(heading, heading.begin(), [](char c) {
      return static_cast<char>(c - 'a' + 'A');
    });
    headings.push_back(std::move(heading));
  }
  headings.insert(headings.end(), {">CORE-HOURS", ">GIB-HOURS", ">POD-HOURS"});
  for (const std::string& other : usage.others)
    headings.push_back(">" + other + "-HOURS");
  return headings;
}

// The values of a row, in the order of the headings.
std::vector<std::string> ValuesOf(const UsageOptions& options,
                                  const Usage& usage, const UsageRow& row,
                                  int digits) {
  std::vector<std::string> values = {row.period};
  for (std::size_t i = 0; i < kKeys.size(); ++i)
    if (IsKey(options, kKeys.at(i))) values.push_back(row.keys.at(i));
  const auto add = [&](double hours) {
    values.push_back(fmt::format("{:.{}f}", hours, digits));
  };
  add(HoursOf(row, "cpu"));
  add(HoursOf(row, "memory", kGib));
  add(HoursOf(row, "pods"));
  for (const std::string& other : usage.others) add(HoursOf(row, other));
  return values;
}

// RFC 4180.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields)
    line += (line.empty() ? "" : ",") + CsvField(field);
  return line + "\r\n";
}

std::string CsvOf(const UsageOptions& options, const Usage& usage) {
  std::vector<std::string> headings = HeadingsOf(options, usage);
  for (std::string& heading : headings)
    if (heading.front() == '>') heading.erase(0, 1);
  std::string text = options.headers ? CsvLine(headings) : "";
  for (const UsageRow& row : usage.rows)
    text += CsvLine(ValuesOf(options, usage, row, 6));
  return text;
}

UsageJson DocumentOf(const UsageOptions& options, const Usage& usage) {
  UsageJson items = UsageJson::array();
  for (const UsageRow& row : usage.rows) {
    UsageJson item = {{options.daily ? "day" : "month", row.period}};
    for (std::size_t i = 0; i < kKeys.size(); ++i)
      if (IsKey(options, kKeys.at(i)))
        item[std::string(kKeys.at(i))] = row.keys.at(i);
    UsageJson hours = UsageJson::object();
    for (const auto& [resource, seconds] : row.seconds)
      hours[resource] = seconds / kHour;
    item["hours"] = std::move(hours);
    items.push_back(std::move(item));
  }
  UsageJson document = ListOf("Usage", std::move(items));
  document["asOf"] =
      usage.as_of ? UsageJson(Rfc3339(*usage.as_of)) : UsageJson();
  return document;
}

}  // namespace

ExitCode RunUsage(const UsageOptions& options, sql::Pool& pool,
                  Console& console) {
  for (const std::string& key : options.by)
    if (std::ranges::find(kKeys, key) == kKeys.end())
      throw Failure(ExitCode::kUsage,
                    fmt::format("--by: '{}' is nothing to sum up by", key),
                    "Right would be some of account, user, queue, namespace.");
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const Usage usage = ReadUsage(options, transaction);
  if (options.csv) {
    console.out << CsvOf(options, usage);
    return ExitCode::kOk;
  }
  if (WantsDocuments(options.output)) {
    console.out << Write(DocumentOf(options, usage), options.output);
    return ExitCode::kOk;
  }
  if (usage.rows.empty()) {
    console.err << "No group held anything in that time.\n";
  } else {
    Table table(HeadingsOf(options, usage));
    for (const UsageRow& row : usage.rows) {
      std::vector<Cell> cells;
      for (std::string& value : ValuesOf(options, usage, row, 1))
        cells.emplace_back(std::move(value));
      table.Add(std::move(cells));
    }
    console.out << table.Text({.columns = console.size().first,
                               .colour = console.colour,
                               .header = options.headers});
  }
  console.err << (usage.as_of
                      ? fmt::format("As of {}; `serve` rolls usage up every 10 "
                                    "minutes.\n",
                                    Rfc3339(*usage.as_of))
                      : "`serve` has rolled up no usage yet.\n");
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
