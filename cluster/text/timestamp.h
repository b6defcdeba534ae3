// Times in the notation of Kubernetes: RFC 3339, "2026-01-01T12:00:00Z",
// "2026-01-01T12:00:00.123456Z", or with an offset "+02:00".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

// Returns nothing if the text is not a timestamp.
std::optional<Time> ParseTimestamp(std::string_view text);

// Formats whole seconds, as metav1.Time, and microseconds, as metav1.MicroTime.
std::string FormatTimestamp(Time time);
std::string FormatMicroTimestamp(Time time);

}  // namespace fluxnetes::cluster
