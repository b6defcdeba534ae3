// Times for people and programs. Durations have kubectl's short forms: "5s",
// "2m30s", "3h", "4d".
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sql/values/parameter.h"

namespace fluxnetes::services {

std::string ShortDuration(std::chrono::milliseconds duration);

// The time since `then`; "0s" for the future.
std::string Age(sql::Timestamp then, sql::Timestamp now);

// "in 5m", or "5m ago".
std::string Relative(sql::Timestamp then, sql::Timestamp now);

// RFC 3339 in UTC: "2026-01-31T12:00:00.123456Z". ShortTime: whole seconds and
// a blank instead of T.
std::string Rfc3339(sql::Timestamp time);
std::string ShortTime(sql::Timestamp time);

}  // namespace fluxnetes::services
