#include "matcher/devices/amount.h"

#include <algorithm>

#include "matcher/cel_run/quantity.h"

namespace fluxnetes::matcher {

std::optional<DeviceAmount> ReadAmount(std::string_view text) {
  const auto quantity = cel::ReadQuantity(text);
  if (!quantity) return std::nullopt;
  const auto nano = cel::NanoOf(*quantity);
  if (!nano) return std::nullopt;
  constexpr Int128 kMost = Int128{9'223'372'036'854'775'807} * 1'000'000'000;
  return DeviceAmount{std::clamp(*nano, -kMost, kMost)};
}

std::string ToText(const DeviceAmount& amount) {
  constexpr int kFraction = 9;
  Int128 rest = amount.nano < 0 ? -amount.nano : amount.nano;
  std::string digits;  // the last first
  for (; rest != 0 || digits.size() <= kFraction; rest /= 10) {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (amount.nano < 0) digits += '-';
  std::ranges::reverse(digits);
  std::string text = digits.substr(0, digits.size() - kFraction);
  std::string fraction = digits.substr(digits.size() - kFraction);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

}  // namespace fluxnetes::matcher
