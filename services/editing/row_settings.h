// The settings of a row (of `queues`, of `accounts`) as one writes them on the
// command line: KEY=VALUE, checked here so that the answer to a slip is a
// sentence; the database has the last word.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

struct RowSetting {
  std::string_view key;    // the column
  std::string_view right;  // what would be right, for people
};

struct RowSettings {
  std::string_view row;  // "a queue"
  std::span<const RowSetting> known;
  // Of one of these; nothing: the value cannot be.
  std::function<std::optional<nlohmann::json>(std::string_view key,
                                              const std::string& text)>
      parse;
};

// An object of columns and values for jsonb_populate_record, as JSON text.
// Throws Failure (kUsage) for an unknown key, a value that cannot be or a key
// given twice.
std::string ParseRowSettings(const RowSettings& how,
                             const std::vector<std::string>& settings);

// Values of several kinds of rows; nothing: it is none.
std::optional<nlohmann::json> ParseNumber(const std::string& text);  // finite
std::optional<nlohmann::json> ParseSwitch(const std::string& text);
// "zone=a,gpu=yes" as an object of texts; an empty text is an empty one.
std::optional<nlohmann::json> ParsePairs(const std::string& text);

}  // namespace fluxnetes::services
