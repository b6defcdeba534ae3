// Digits of ASCII, whatever the locale.
#pragma once

namespace fluxnetes::cluster {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace fluxnetes::cluster
