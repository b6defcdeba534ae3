// Functions of lists and optional values.
#include <array>

#include "matcher/cel_run/calls.h"

namespace fluxnetes::matcher::cel {
namespace {

using enum Value::Kind;

Value Size(Evaluation&, Operands operands) {
  const Value::Kind kind = operands[0].kind;
  if (kind != kString && kind != kList && kind != kMap) return NoOverload();
  return Value::Int(static_cast<std::int64_t>(SizeOf(operands[0])));
}

// An empty list, or one whose first element has an order: cel-go looks no
// further to find the overload.
bool IsOrderedList(const Value& value) {
  if (value.kind != kList) return false;
  if (value.List().empty()) return true;
  const Value& first = value.List().front();
  return first.IsNumber() || first.kind == kBool || first.kind == kString;
}

Value IsSorted(Evaluation&, Operands operands) {
  if (!IsOrderedList(operands[0])) return NoOverload();
  const std::span<const Value> list = operands[0].List();
  for (std::size_t i = 1; i < list.size(); ++i) {
    const Value order = Order(list[i - 1], list[i]);
    if (!order.IsError() && order.integer > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

template <int kBetter>
Value Extreme(Evaluation&, Operands operands) {
  if (!IsOrderedList(operands[0])) return NoOverload();
  const std::span<const Value> list = operands[0].List();
  if (list.empty()) return Value::Error("an empty list has no min and max");
  Value best = list[0];
  for (const Value& element : list) {
    const Value order = Order(element, best);
    if (!order.IsError() && order.integer == kBetter) best = element;
  }
  return best;
}

Value Sum(Evaluation& evaluation, Operands operands) {
  if (operands[0].kind != kList) return NoOverload();
  const std::span<const Value> list = operands[0].List();
  if (list.empty()) return Value::Int(0);
  if (!list.front().IsNumber()) return NoOverload();
  const Call add = FindCall("_+_");
  Value sum = list[0];
  for (const Value& element : list.subspan(1)) {
    sum = add(evaluation, std::to_array({sum, element}));
    if (sum.IsError()) return sum;
  }
  return sum;
}

Value Hold(Evaluation& evaluation, const Value& value) {
  return Value::Optional(evaluation.memory.Keep(value));
}

Value First(Evaluation& evaluation, Operands operands) {
  if (operands[0].kind != kList) return NoOverload();
  const std::span<const Value> list = operands[0].List();
  return list.empty() ? Value::Optional(nullptr)
                      : Hold(evaluation, list.front());
}

Value Last(Evaluation& evaluation, Operands operands) {
  if (operands[0].kind != kList) return NoOverload();
  const std::span<const Value> list = operands[0].List();
  return list.empty() ? Value::Optional(nullptr)
                      : Hold(evaluation, list.back());
}

Value OptionalOf(Evaluation& evaluation, Operands operands) {
  return Hold(evaluation, operands[0]);
}

bool IsZero(const Value& value) {
  switch (value.kind) {
    case kNull:
      return true;
    case kBool:
      return !value.boolean;
    case kInt:
      return value.integer == 0;
    case kUint:
      return value.natural == 0;
    case kDouble:
      return value.real == 0;
    case kString:
      return value.text.empty();
    case kList:
      return value.List().empty();
    case kMap:
      return value.map->Size() == 0;
    default:
      return false;
  }
}

Value OptionalOfNonZero(Evaluation& evaluation, Operands operands) {
  return IsZero(operands[0]) ? Value::Optional(nullptr)
                             : Hold(evaluation, operands[0]);
}

Value OptionalNone(Evaluation&, Operands) { return Value::Optional(nullptr); }

Value OptionalValue(Evaluation&, Operands operands) {
  if (operands[0].kind != kOptional) return NoOverload();
  if (!operands[0].held) return Value::Error("the optional has no value");
  return *operands[0].held;
}

Value HasValue(Evaluation&, Operands operands) {
  if (operands[0].kind != kOptional) return NoOverload();
  return Value::Bool(operands[0].held != nullptr);
}

Value Unwrap(Evaluation& evaluation, Operands operands) {
  if (operands[0].kind != kList) return NoOverload();
  const std::span<const Value> list = operands[0].List();
  const std::span<Value> held = evaluation.memory.New<Value>(list.size());
  std::size_t count = 0;
  for (const Value& element : list) {
    if (element.kind != kOptional) {
      return Value::Error("the list has a value that is not optional");
    }
    if (element.held) held[count++] = *element.held;
  }
  return Value::List(held.first(count));
}

}  // namespace

std::span<const NamedCall> ListCalls() {
  static constexpr auto kCalls = std::to_array<NamedCall>({
      {"size", Size},
      {"isSorted", IsSorted},
      {"max", Extreme<1>},
      {"min", Extreme<-1>},
      {"sum", Sum},
      {"first", First},
      {"last", Last},
      {"optional.of", OptionalOf},
      {"optional.ofNonZeroValue", OptionalOfNonZero},
      {"optional.none", OptionalNone},
      {"optional.unwrap", Unwrap},
      {"unwrapOpt", Unwrap},
      {"value", OptionalValue},
      {"hasValue", HasValue},
  });
  return kCalls;
}

}  // namespace fluxnetes::matcher::cel
