// Times as Kubernetes writes them: RFC 3339, "2026-01-01T12:00:00Z",
// "2026-01-01T12:00:00.123456Z", or with an offset "+02:00".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

// Nothing if it is none.
std::optional<Time> ParseTimestamp(std::string_view text);

// In whole seconds, as metav1.Time; and in microseconds, as metav1.MicroTime.
std::string FormatTimestamp(Time time);
std::string FormatMicroTimestamp(Time time);

}  // namespace fluxnetes::cluster
