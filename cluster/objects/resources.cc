#include "cluster/objects/resources.h"

#include <algorithm>
#include <stdexcept>

#include "cluster/text/resource_words.h"

namespace fluxnetes::cluster {
namespace {

auto Find(auto& amounts, const std::string& name) {
  return std::lower_bound(amounts.begin(), amounts.end(), name,
                          [](const auto& amount, const std::string& n) {
                            return amount.first < n;
                          });
}

std::int64_t Add(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw std::overflow_error(std::string(what) +
                              ": the sum needs over 64 bits");
  }
  return sum;
}

std::int64_t Subtract(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) {
    throw std::overflow_error(std::string(what) +
                              ": the difference needs over 64 bits");
  }
  return difference;
}

template <typename Operation>
void Combine(Resources& to, const Resources& other, Operation operation) {
  to.cpu_milli = operation(to.cpu_milli, other.cpu_milli, "cpu");
  to.memory_bytes = operation(to.memory_bytes, other.memory_bytes, "memory");
  to.ephemeral_bytes =
      operation(to.ephemeral_bytes, other.ephemeral_bytes, "ephemeral-storage");
  to.pods = operation(to.pods, other.pods, "pods");
  for (const auto& [name, amount] : other.extended) {
    to.SetExtended(name, operation(to.Extended(name), amount, name.c_str()));
  }
}

}  // namespace

std::int64_t Resources::Extended(const std::string& name) const {
  const auto at = Find(extended, name);
  return at != extended.end() && at->first == name ? at->second : 0;
}

void Resources::SetExtended(const std::string& name, std::int64_t amount) {
  const auto at = Find(extended, name);
  const bool found = at != extended.end() && at->first == name;
  if (amount == 0) {
    if (found) extended.erase(at);
  } else if (found) {
    at->second = amount;
  } else {
    extended.emplace(at, name, amount);
  }
}

Resources& Resources::operator+=(const Resources& other) {
  Resources sum = *this;
  Combine(sum, other, Add);
  return *this = std::move(sum);
}

Resources& Resources::operator-=(const Resources& other) {
  Resources difference = *this;
  Combine(difference, other, Subtract);
  return *this = std::move(difference);
}

bool Resources::Holds(const Resources& request) const {
  return request.cpu_milli <= cpu_milli &&
         request.memory_bytes <= memory_bytes &&
         request.ephemeral_bytes <= ephemeral_bytes && request.pods <= pods &&
         std::ranges::all_of(request.extended, [this](const auto& wanted) {
           return wanted.second <= Extended(wanted.first);
         });
}

Resources Maximum(const Resources& a, const Resources& b) {
  Resources maximum = a;
  Combine(maximum, b, [](std::int64_t x, std::int64_t y, const char*) {
    return std::max(x, y);
  });
  return maximum;
}

void AddUpTo(const Resources& all, Resources& sum, const Resources& more) {
  try {
    sum += more;
  } catch (const std::overflow_error&) {
    sum = Maximum(sum, all);
  }
}

std::string Format(const Resources& resources) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  const auto add_some = [&add](const std::string& name, std::int64_t amount) {
    if (amount != 0) add(AmountInWords(name, amount));
  };
  add_some("cpu", resources.cpu_milli);
  add_some("memory", resources.memory_bytes);
  add_some("ephemeral-storage", resources.ephemeral_bytes);
  for (const auto& [name, amount] : resources.extended) add_some(name, amount);
  if (resources.pods > 1) add_some("pods", resources.pods);
  return text.empty() ? "nothing" : text;
}

}  // namespace fluxnetes::cluster
