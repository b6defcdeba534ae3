#include "matcher/devices/request_amounts.h"

#include <algorithm>

namespace fluxnetes::matcher {
namespace {

constexpr Int128 kNanoOfOne = 1'000'000'000;

// Steps are counted in whole units.
Int128 WholeUp(const DeviceAmount& amount) {
  const Int128 whole = amount.nano / kNanoOfOne;
  return whole + (amount.nano > whole * kNanoOfOne ? 1 : 0);
}

bool HasRange(const RequestPolicy& policy) {
  return policy.minimum || policy.maximum || policy.step;
}

DeviceAmount RoundToRange(const DeviceAmount& asked,
                          const RequestPolicy& policy) {
  if (asked < *policy.minimum) return *policy.minimum;
  if (!policy.step || WholeUp(*policy.step) <= 0) return asked;
  const Int128 step = WholeUp(*policy.step);
  const Int128 from = WholeUp(*policy.minimum);
  const Int128 steps = (WholeUp(asked) - from + step - 1) / step;
  return {(from + step * steps) * kNanoOfOne};
}

DeviceAmount RoundByPolicy(const DeviceAmount& asked,
                           const RequestPolicy& policy) {
  if (policy.minimum) return RoundToRange(asked, policy);
  const auto valid = std::ranges::lower_bound(policy.valid, asked);
  return valid == policy.valid.end() ? asked : *valid;
}

bool IsValid(const DeviceAmount& amount, const RequestPolicy& policy) {
  if (policy.fallback && amount == *policy.fallback) return true;
  if (HasRange(policy)) {
    if (policy.maximum && amount > *policy.maximum) return false;
    if (!policy.step || WholeUp(*policy.step) <= 0) return true;
    const Int128 from = policy.minimum ? WholeUp(*policy.minimum) : 0;
    return (WholeUp(amount) - from) % WholeUp(*policy.step) == 0;
  }
  return policy.valid.empty() ||
         std::ranges::find(policy.valid, amount) != policy.valid.end();
}

}  // namespace

DeviceAmounts WithDomains(const DeviceAmounts& amounts,
                          const std::string& driver) {
  DeviceAmounts full;
  for (const auto& [name, amount] : amounts) {
    const bool has_domain = name.find('/') != std::string::npos;
    full.emplace(has_domain ? name : driver + "/" + name, amount);
  }
  return full;
}

DeviceAmounts WithoutDomain(const DeviceAmounts& amounts,
                            const std::string& driver) {
  DeviceAmounts shorter;
  for (const auto& [name, amount] : amounts) {
    const bool own = name.size() > driver.size() && name.starts_with(driver) &&
                     name[driver.size()] == '/';
    shorter.emplace(own ? name.substr(driver.size() + 1) : name, amount);
  }
  return shorter;
}

std::optional<DeviceAmounts> AmountsTaken(const DeviceAmounts& asked_for,
                                          const std::string& driver,
                                          const Device& device) {
  const DeviceAmounts asked = WithDomains(asked_for, driver);
  for (const auto& [name, amount] : asked) {
    if (!device.capacity.contains(name)) return std::nullopt;
  }
  DeviceAmounts taken;
  for (const auto& [name, capacity] : device.capacity) {
    const auto policy = device.policies.find(name);
    const bool has_policy = policy != device.policies.end();
    const auto wanted = asked.find(name);
    DeviceAmount amount = capacity;
    if (wanted != asked.end()) {
      amount = has_policy ? RoundByPolicy(wanted->second, policy->second)
                          : wanted->second;
    } else if (has_policy && policy->second.fallback) {
      amount = *policy->second.fallback;
    }
    if (has_policy && !IsValid(amount, policy->second)) return std::nullopt;
    if (amount > capacity) return std::nullopt;
    taken.emplace(name, amount);
  }
  return taken;
}

}  // namespace fluxnetes::matcher
