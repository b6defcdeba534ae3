// Every setting of config.h: its key in the file, its environment variable, its
// flag, and the conversions from and to text. The configuration file, the
// environment, the flags and `serve --print-config` all use this list.
// Tests: tests/services/config/config_test.cc.
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
  std::string_view value;     // placeholder in the help: "NAME"
  std::string_view about;

  // Throws std::invalid_argument with the valid values.
  void (*set)(Config& config, const std::string& text);
  std::string (*get)(const Config& config);
  // Whether it has several values: with commas, or as a list in YAML.
  bool list = false;
};

std::span<const Setting> Settings();

// Returns null if there is no such key.
const Setting* FindSetting(std::string_view key);

}  // namespace fluxnetes::services
