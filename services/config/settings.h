// Every setting of config.h: its key in the file, its variable, its flag, and
// how its text becomes a value and back. The configuration file, the
// environment, the flags and `serve --print-config` are all made from this
// list.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "services/config/config.h"

namespace fluxnetes::services {

struct Setting {
  std::string_view key;       // "database.schema"
  std::string_view variable;  // "FLUXNETES_SCHEMA"
  std::string_view flag;      // "schema"
  std::string_view value;     // what it takes, for the help: "NAME"
  std::string_view about;

  // Throws std::invalid_argument that says what would be right.
  void (*set)(Config& config, const std::string& text);
  std::string (*get)(const Config& config);
};

std::span<const Setting> Settings();

// Null if there is none of that key.
const Setting* FindSetting(std::string_view key);

// "500ms", "5s", "2m", "1h", "3d". Throws std::invalid_argument.
std::chrono::milliseconds ParseDuration(
    const std::string& text,
    std::chrono::milliseconds longest = std::chrono::hours(24));
std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace fluxnetes::services
