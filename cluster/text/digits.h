// Digits of ASCII, whatever the locale.
// Tests: tests/cluster/text/timestamp_test.cc,
// tests/cluster/text/quantity_test.cc.
#pragma once

namespace fluxnetes::cluster {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace fluxnetes::cluster
