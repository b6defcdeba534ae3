// Operators: arithmetic with its overflows, comparisons, and `in`.
#include <array>
#include <cmath>
#include <limits>

#include "matcher/cel/syntax.h"
#include "matcher/cel_run/calls.h"

namespace fluxnetes::matcher::cel {

bool Are(Operands operands, std::initializer_list<Value::Kind> kinds) {
  if (operands.size() != kinds.size()) return false;
  auto operand = operands.begin();
  for (const Value::Kind kind : kinds) {
    if ((operand++)->kind != kind) return false;
  }
  return true;
}

Value NoOverload() {
  return Value::Error("the function is not defined for values of these types");
}

namespace {

using enum Value::Kind;

constexpr std::int64_t kLeastInt = std::numeric_limits<std::int64_t>::min();

Value IntOverflow() { return Value::Error("an int overflows"); }
Value UintOverflow() { return Value::Error("a uint overflows"); }
Value ByZero() { return Value::Error("a division by zero"); }

Value AddValues(Evaluation& evaluation, Operands operands) {
  const Value& one = operands[0];
  const Value& other = operands[1];
  if (one.kind != other.kind) return NoOverload();
  switch (one.kind) {
    case kInt: {
      std::int64_t sum = 0;
      if (__builtin_add_overflow(one.integer, other.integer, &sum)) {
        return IntOverflow();
      }
      return Value::Int(sum);
    }
    case kUint: {
      std::uint64_t sum = 0;
      if (__builtin_add_overflow(one.natural, other.natural, &sum)) {
        return UintOverflow();
      }
      return Value::Uint(sum);
    }
    case kDouble:
      return Value::Double(one.real + other.real);
    case kString: {
      const std::span<char> text =
          evaluation.memory.New<char>(one.text.size() + other.text.size());
      other.text.copy(text.data() + one.text.copy(text.data(), one.text.size()),
                      other.text.size());
      return Value::String({text.data(), text.size()});
    }
    case kList:
      if (one.List().empty()) return other;
      if (other.List().empty()) return one;
      return Value::List(evaluation.memory.Join(one.List(), other.List()));
    default:
      return NoOverload();
  }
}

Value Subtract(Evaluation&, Operands operands) {
  const Value& one = operands[0];
  const Value& other = operands[1];
  if (Are(operands, {kInt, kInt})) {
    std::int64_t rest = 0;
    if (__builtin_sub_overflow(one.integer, other.integer, &rest)) {
      return IntOverflow();
    }
    return Value::Int(rest);
  }
  if (Are(operands, {kUint, kUint})) {
    if (other.natural > one.natural) return UintOverflow();
    return Value::Uint(one.natural - other.natural);
  }
  if (Are(operands, {kDouble, kDouble})) {
    return Value::Double(one.real - other.real);
  }
  return NoOverload();
}

Value MultiplyValues(Evaluation&, Operands operands) {
  const Value& one = operands[0];
  const Value& other = operands[1];
  if (Are(operands, {kInt, kInt})) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(one.integer, other.integer, &product)) {
      return IntOverflow();
    }
    return Value::Int(product);
  }
  if (Are(operands, {kUint, kUint})) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(one.natural, other.natural, &product)) {
      return UintOverflow();
    }
    return Value::Uint(product);
  }
  if (Are(operands, {kDouble, kDouble})) {
    return Value::Double(one.real * other.real);
  }
  return NoOverload();
}

Value Divide(Evaluation&, Operands operands) {
  const Value& one = operands[0];
  const Value& other = operands[1];
  if (Are(operands, {kInt, kInt})) {
    if (other.integer == 0) return ByZero();
    if (one.integer == kLeastInt && other.integer == -1) return IntOverflow();
    return Value::Int(one.integer / other.integer);
  }
  if (Are(operands, {kUint, kUint})) {
    if (other.natural == 0) return ByZero();
    return Value::Uint(one.natural / other.natural);
  }
  if (Are(operands, {kDouble, kDouble})) {
    return Value::Double(one.real / other.real);
  }
  return NoOverload();
}

Value Modulo(Evaluation&, Operands operands) {
  const Value& one = operands[0];
  const Value& other = operands[1];
  if (Are(operands, {kInt, kInt})) {
    if (other.integer == 0) return ByZero();
    if (one.integer == kLeastInt && other.integer == -1) return IntOverflow();
    return Value::Int(one.integer % other.integer);
  }
  if (Are(operands, {kUint, kUint})) {
    if (other.natural == 0) return ByZero();
    return Value::Uint(one.natural % other.natural);
  }
  return NoOverload();
}

Value NegateValue(Evaluation&, Operands operands) {
  const Value& value = operands[0];
  if (value.kind == kDouble) return Value::Double(-value.real);
  if (value.kind != kInt) return NoOverload();
  if (value.integer == kLeastInt) return IntOverflow();
  return Value::Int(-value.integer);
}

Value Not(Evaluation&, Operands operands) {
  if (operands[0].kind != kBool) return NoOverload();
  return Value::Bool(!operands[0].boolean);
}

template <bool (*kHolds)(std::int64_t)>
Value CompareValues(Evaluation&, Operands operands) {
  const Value order = Order(operands[0], operands[1]);
  return order.IsError() ? order : Value::Bool(kHolds(order.integer));
}
bool IsLess(std::int64_t order) { return order < 0; }
bool IsAtMost(std::int64_t order) { return order <= 0; }
bool IsMore(std::int64_t order) { return order > 0; }
bool IsAtLeast(std::int64_t order) { return order >= 0; }

Value IsIn(Evaluation& evaluation, Operands operands) {
  const Value& whole = operands[1];
  if (whole.kind == kMap) {
    return Value::Bool(whole.map->Contains(operands[0], evaluation.memory));
  }
  if (whole.kind != kList) return NoOverload();
  for (const Value& element : whole.List()) {
    if (Equal(operands[0], element, evaluation.memory).IsTrue()) {
      return Value::Bool(true);
    }
  }
  return Value::Bool(false);
}

}  // namespace

std::span<const NamedCall> NumberCalls() {
  static constexpr auto kCalls = std::to_array<NamedCall>({
      {names::kAdd, AddValues},
      {"_-_", Subtract},
      {"_*_", MultiplyValues},
      {"_/_", Divide},
      {"_%_", Modulo},
      {names::kNegate, NegateValue},
      {names::kNot, Not},
      {"_<_", CompareValues<IsLess>},
      {"_<=_", CompareValues<IsAtMost>},
      {"_>_", CompareValues<IsMore>},
      {"_>=_", CompareValues<IsAtLeast>},
      {names::kIn, IsIn},
  });
  return kCalls;
}

Call FindCall(std::string_view function) {
  for (const auto& calls : {NumberCalls(), ConversionCalls(), StringCalls(),
                            ListCalls(), KubernetesCalls()}) {
    for (const NamedCall& call : calls) {
      if (call.function == function) return call.call;
    }
  }
  return nullptr;
}

}  // namespace fluxnetes::matcher::cel
