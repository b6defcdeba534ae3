#include "matcher/jobspec/jobspec.h"

#include <algorithm>

namespace fluxnetes::matcher {
namespace {

// Returns base^exponent; nothing if that is above the limit.
std::optional<std::uint64_t> Power(std::uint64_t base, std::uint64_t exponent,
                                   std::uint64_t limit) {
  std::uint64_t power = 1;
  for (std::uint64_t i = 0; i < exponent; ++i) {
    if (power > limit / base) return std::nullopt;
    power *= base;
  }
  return power;
}

}  // namespace

std::uint64_t Count::Take(std::uint64_t available) const {
  if (min > max || min > available) return 0;
  const std::uint64_t most = std::min<std::uint64_t>(available, max);
  std::uint64_t take = min;
  switch (op) {
    case '*':
      while (take != 0 && operand > 1 && take <= most / operand) {
        take *= operand;
      }
      return take;
    case '^':
      while (take > 1 && operand > 1) {
        const auto next = Power(take, operand, most);
        if (!next) break;
        take = *next;
      }
      return take;
    default:
      return most - (most - min) % operand;
  }
}

}  // namespace fluxnetes::matcher
