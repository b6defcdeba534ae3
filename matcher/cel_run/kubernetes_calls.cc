// Kubernetes' own functions: quantities and semantic versions.
#include <fmt/format.h>

#include <array>
#include <string>

#include "matcher/cel_run/calls.h"

namespace fluxnetes::matcher::cel {
namespace {

using enum Value::Kind;

Value ToQuantity(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString})) return NoOverload();
  const auto quantity = ReadQuantity(operands[0].text);
  if (!quantity) {
    return evaluation.memory.Error(
        fmt::format("'{}' is no quantity", operands[0].text.substr(0, 100)));
  }
  return Value::Of(evaluation.memory.Keep(*quantity));
}

Value IsQuantity(Evaluation&, Operands operands) {
  if (!Are(operands, {kString})) return NoOverload();
  return Value::Bool(ReadQuantity(operands[0].text).has_value());
}

std::optional<Version> VersionOf(Evaluation& evaluation, Operands operands) {
  if (operands.size() == 1 || !operands[1].boolean) {
    return ReadVersion(operands[0].text);
  }
  const auto complete = CompleteVersion(operands[0].text);
  if (!complete) return std::nullopt;
  return ReadVersion(evaluation.memory.KeepText(*complete));
}

Value ToSemver(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString}) && !Are(operands, {kString, kBool})) {
    return NoOverload();
  }
  const auto version = VersionOf(evaluation, operands);
  if (!version) {
    return evaluation.memory.Error(fmt::format(
        "'{}' is no semantic version", operands[0].text.substr(0, 100)));
  }
  return Value::Of(evaluation.memory.Keep(*version));
}

Value IsSemver(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString}) && !Are(operands, {kString, kBool})) {
    return NoOverload();
  }
  return Value::Bool(VersionOf(evaluation, operands).has_value());
}

int Signum(std::strong_ordering order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// Nothing: they are neither two quantities nor two versions.
std::optional<int> OrderOf(Operands operands) {
  if (Are(operands, {kQuantity, kQuantity})) {
    return Signum(Compare(*operands[0].quantity, *operands[1].quantity));
  }
  if (Are(operands, {kSemver, kSemver})) {
    return Signum(Compare(*operands[0].version, *operands[1].version));
  }
  return std::nullopt;
}

Value IsGreaterThan(Evaluation&, Operands operands) {
  const auto order = OrderOf(operands);
  return order ? Value::Bool(*order > 0) : NoOverload();
}

Value IsLessThan(Evaluation&, Operands operands) {
  const auto order = OrderOf(operands);
  return order ? Value::Bool(*order < 0) : NoOverload();
}

Value CompareTo(Evaluation&, Operands operands) {
  const auto order = OrderOf(operands);
  return order ? Value::Int(*order) : NoOverload();
}

Value SignOf(Evaluation&, Operands operands) {
  if (!Are(operands, {kQuantity})) return NoOverload();
  return Value::Int(Signum(operands[0].quantity->digits <=> Int128{0}));
}

Value ToInteger(Evaluation&, Operands operands) {
  if (!Are(operands, {kQuantity})) return NoOverload();
  const auto integer = AsInteger(*operands[0].quantity);
  return integer ? Value::Int(*integer)
                 : Value::Error("the quantity is no integer");
}

Value IsInteger(Evaluation&, Operands operands) {
  if (!Are(operands, {kQuantity})) return NoOverload();
  return Value::Bool(AsInteger(*operands[0].quantity).has_value());
}

Value ToFloat(Evaluation&, Operands operands) {
  if (!Are(operands, {kQuantity})) return NoOverload();
  return Value::Double(AsApproximateFloat(*operands[0].quantity));
}

// Adds the second, or takes it away.
Value Combine(Evaluation& evaluation, Operands operands, bool away) {
  Quantity second;
  if (Are(operands, {kQuantity, kQuantity})) {
    second = *operands[1].quantity;
  } else if (Are(operands, {kQuantity, kInt})) {
    second.digits = operands[1].integer;
  } else {
    return NoOverload();
  }
  const auto sum = Add(*operands[0].quantity, away ? Negate(second) : second);
  if (!sum) return Value::Error("the quantity is too large");
  Value value = Value::Of(evaluation.memory.Keep(*sum));
  value.is_sum = true;
  return value;
}

Value AddQuantity(Evaluation& evaluation, Operands operands) {
  return Combine(evaluation, operands, false);
}

Value SubtractQuantity(Evaluation& evaluation, Operands operands) {
  return Combine(evaluation, operands, true);
}

template <std::uint64_t Version::*kPart>
Value PartOf(Evaluation&, Operands operands) {
  if (!Are(operands, {kSemver})) return NoOverload();
  return Value::Int(static_cast<std::int64_t>(operands[0].version->*kPart));
}

}  // namespace

std::span<const NamedCall> KubernetesCalls() {
  static constexpr auto kCalls = std::to_array<NamedCall>({
      {"quantity", ToQuantity},
      {"isQuantity", IsQuantity},
      {"semver", ToSemver},
      {"isSemver", IsSemver},
      {"isGreaterThan", IsGreaterThan},
      {"isLessThan", IsLessThan},
      {"compareTo", CompareTo},
      {"sign", SignOf},
      {"asInteger", ToInteger},
      {"isInteger", IsInteger},
      {"asApproximateFloat", ToFloat},
      {"add", AddQuantity},
      {"sub", SubtractQuantity},
      {"major", PartOf<&Version::major>},
      {"minor", PartOf<&Version::minor>},
      {"patch", PartOf<&Version::patch>},
  });
  return kCalls;
}

}  // namespace fluxnetes::matcher::cel
