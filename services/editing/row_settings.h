// The settings of a row (of `queues`, of `accounts`) on the command line, as
// KEY=VALUE. They are checked here so that an error message is a sentence; the
// database checks them again.
// Tests: tests/services/editing/queue_command_pgtest.cc,
// tests/services/editing/account_command_pgtest.cc.
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
  std::string_view right;  // the valid values, for people
};

struct RowSettings {
  std::string_view row;  // "a queue"
  std::span<const RowSetting> known;
  // Parses the value of a known key; nullopt: the value is invalid.
  std::function<std::optional<nlohmann::json>(std::string_view key,
                                              const std::string& text)>
      parse;
};

// Returns an object of columns and values for jsonb_populate_record, as JSON
// text. Throws Failure (kUsage) for an unknown key, an invalid value or a key
// given twice.
std::string ParseRowSettings(const RowSettings& how,
                             const std::vector<std::string>& settings);

// Returns what the audit log keeps of a change: "weight=2 (the new team)".
std::string DetailOf(const std::vector<std::string>& settings,
                     const std::string& reason);

// Parsers for several kinds of rows; nullopt: the text is invalid.
std::optional<nlohmann::json> ParseNumber(const std::string& text);  // finite
std::optional<nlohmann::json> ParseSwitch(const std::string& text);
// Parses "zone=a,gpu=yes" into an object of strings; an empty text gives an
// empty object.
std::optional<nlohmann::json> ParsePairs(const std::string& text);

}  // namespace fluxnetes::services
