// Documents for programs, as JSON or YAML with the same content. From release
// to release, fields may be added, but no field's name or meaning changes. A
// field without a value is null; times are RFC 3339 in UTC, durations are
// seconds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fluxnetes::services {

enum class OutputFormat { kTable, kWide, kJson, kYaml, kName };

// Returns {"kind": kind, "items": items}.
nlohmann::ordered_json ListOf(const char* kind, nlohmann::ordered_json items);

// Returns the document as text with a line end; `format` is kJson or kYaml.
std::string Write(const nlohmann::ordered_json& document, OutputFormat format);

}  // namespace fluxnetes::services
