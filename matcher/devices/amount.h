// Amounts of capacities and counters of devices: quantities of Kubernetes
// (resource.Quantity), exact, in billionths.
//
// Plain values.
// Tests: tests/matcher/devices/amount_test.cc.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::matcher {

__extension__ using Int128 = __int128;

struct DeviceAmount {
  Int128 nano = 0;  // billionths
  auto operator<=>(const DeviceAmount&) const = default;
};

// Reads "10Gi", "1.5", "-3m", "1e3". Nothing: it is no quantity. What is
// smaller than a billionth is rounded up, away from zero, and what is larger
// than 2^63 - 1 is cut to it, as Kubernetes does.
std::optional<DeviceAmount> ReadAmount(std::string_view text);

// Writes a plain decimal number: "1.5", "10737418240".
std::string ToText(const DeviceAmount& amount);

}  // namespace fluxnetes::matcher
