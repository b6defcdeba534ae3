// Quantities of Kubernetes (resource.Quantity) in expressions: exact, down to
// billionths.
//
// A number is kept as digits and a power of ten, as it was written, because
// whether Kubernetes takes it for an integer depends on that: "1" is one,
// "1000m" is not.
//
// Plain values.
// Tests: tests/matcher/cel_run/quantity_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fluxnetes::matcher::cel {

__extension__ using Int128 = __int128;

struct Quantity {
  Int128 digits = 0;
  int scale = 0;         // times ten to the power of this, from -9
  bool decimal = false;  // of more digits than Kubernetes keeps in an integer
};

// Nothing: it is no quantity. What is smaller than a billionth is rounded up,
// away from zero; what is written with Ki to Ei is at most 2^63 - 1.
std::optional<Quantity> ReadQuantity(std::string_view text);

// A quantity of so many billionths.
Quantity QuantityOfNano(Int128 nano);
// Nothing: it is larger than 128 bits can hold.
std::optional<Int128> NanoOf(const Quantity& quantity);

std::strong_ordering Compare(const Quantity& one, const Quantity& other);
std::optional<Quantity> Add(const Quantity& one, const Quantity& other);
Quantity Negate(const Quantity& quantity);

std::optional<std::int64_t> AsInteger(const Quantity& quantity);
double AsApproximateFloat(const Quantity& quantity);

}  // namespace fluxnetes::matcher::cel
