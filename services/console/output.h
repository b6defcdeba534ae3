// What programs read: JSON as it is, and the same as YAML. Field names and
// meanings stay as they are from release to release; fields may be added. A
// field without a value is null, times are RFC 3339 in UTC, durations seconds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fluxnetes::services {

enum class OutputFormat { kTable, kWide, kJson, kYaml, kName };

// {"kind": kind, "items": items}.
nlohmann::ordered_json ListOf(const char* kind, nlohmann::ordered_json items);

// The document in the format, which is kJson or kYaml, with a line end.
std::string Write(const nlohmann::ordered_json& document, OutputFormat format);

}  // namespace fluxnetes::services
