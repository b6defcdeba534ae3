#include "matcher/cel_run/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace fluxnetes::matcher::cel {
namespace {

using Is = Value::Kind;

constexpr std::size_t kMostBytes = 64u << 20;
constexpr std::size_t kMostSteps = 50'000'000;
constexpr double kTwoTo64 = 18446744073709551616.0;

Value NewValue(Is kind) {
  Value value;
  value.kind = kind;
  return value;
}

int CompareDoubles(double one, double other) {
  return one < other ? -1 : one > other ? 1 : 0;
}

int CompareDoubleAndInt(double one, std::int64_t other) {
  if (one < -0x1p63) return -1;
  if (one > 0x1p63) return 1;
  return CompareDoubles(one, static_cast<double>(other));
}

int CompareDoubleAndUint(double one, std::uint64_t other) {
  if (one < 0) return -1;
  if (one > kTwoTo64) return 1;
  return CompareDoubles(one, static_cast<double>(other));
}

int SignOfOrder(std::strong_ordering order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

int CompareIntAndUint(std::int64_t one, std::uint64_t other) {
  if (one < 0) return -1;
  return SignOfOrder(static_cast<std::uint64_t>(one) <=> other);
}

// Both are numbers, and none is NaN.
int CompareNumbers(const Value& one, const Value& other) {
  if (one.kind == Is::kInt) {
    if (other.kind == Is::kInt)
      return SignOfOrder(one.integer <=> other.integer);
    if (other.kind == Is::kUint) {
      return CompareIntAndUint(one.integer, other.natural);
    }
    return -CompareDoubleAndInt(other.real, one.integer);
  }
  if (one.kind == Is::kUint) {
    if (other.kind == Is::kUint)
      return SignOfOrder(one.natural <=> other.natural);
    if (other.kind == Is::kInt) {
      return -CompareIntAndUint(other.integer, one.natural);
    }
    return -CompareDoubleAndUint(other.real, one.natural);
  }
  if (other.kind == Is::kInt) {
    return CompareDoubleAndInt(one.real, other.integer);
  }
  if (other.kind == Is::kUint) {
    return CompareDoubleAndUint(one.real, other.natural);
  }
  return CompareDoubles(one.real, other.real);
}

bool IsNan(const Value& value) {
  return value.kind == Is::kDouble && std::isnan(value.real);
}

Value EqualLists(const Value& one, const Value& other, Memory& memory) {
  if (other.kind != Is::kList || one.List().size() != other.List().size()) {
    return Value::Bool(false);
  }
  for (std::size_t i = 0; i < one.List().size(); ++i) {
    // Elements that cannot be compared do not count.
    if (Equal(one.List()[i], other.List()[i], memory).IsFalse()) {
      return Value::Bool(false);
    }
  }
  return Value::Bool(true);
}

Value EqualMaps(const Value& one, const Value& other, Memory& memory) {
  if (other.kind != Is::kMap || one.map->Size() != other.map->Size()) {
    return Value::Bool(false);
  }
  for (const Value& key : one.map->Keys(memory)) {
    const std::optional<Value> mine = one.map->Find(key, memory);
    const std::optional<Value> theirs = other.map->Find(key, memory);
    if (!theirs || Equal(*mine, *theirs, memory).IsFalse()) {
      return Value::Bool(false);
    }
  }
  return Value::Bool(true);
}

class LiteralMap final : public MapValue {
 public:
  explicit LiteralMap(std::span<const Value> keys,
                      std::span<const Value> values)
      : keys_(keys), values_(values) {}

  std::optional<Value> Find(const Value& key, Memory& memory) const override {
    memory.Step(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (Equal(keys_[i], key, memory).IsTrue()) return values_[i];
    }
    return std::nullopt;
  }
  bool Contains(const Value& key, Memory& memory) const override {
    return Find(key, memory).has_value();
  }
  std::size_t Size() const override { return keys_.size(); }
  std::span<const Value> Keys(Memory&) const override { return keys_; }

 private:
  std::span<const Value> keys_;
  std::span<const Value> values_;
};

}  // namespace

Value Value::Bool(bool boolean) {
  Value value = NewValue(Is::kBool);
  value.boolean = boolean;
  return value;
}
Value Value::Int(std::int64_t integer) {
  Value value = NewValue(Is::kInt);
  value.integer = integer;
  return value;
}
Value Value::Uint(std::uint64_t natural) {
  Value value = NewValue(Is::kUint);
  value.natural = natural;
  return value;
}
Value Value::Double(double real) {
  Value value = NewValue(Is::kDouble);
  value.real = real;
  return value;
}
Value Value::String(std::string_view text) {
  Value value = NewValue(Is::kString);
  value.text = text;
  return value;
}
Value Value::TypeNamed(std::string_view name) {
  Value value = NewValue(Is::kType);
  value.text = name;
  return value;
}
Value Value::Error(std::string_view text) {
  Value value = NewValue(Is::kError);
  value.text = text;
  return value;
}
Value Value::List(std::span<const Value> elements) {
  Value value = NewValue(Is::kList);
  value.elements = {elements.data(), elements.size()};
  return value;
}
Value Value::Map(const MapValue* map) {
  Value value = NewValue(Is::kMap);
  value.map = map;
  return value;
}
Value Value::Optional(const Value* held) {
  Value value = NewValue(Is::kOptional);
  value.held = held;
  return value;
}
Value Value::Of(const Quantity* quantity) {
  Value value = NewValue(Is::kQuantity);
  value.quantity = quantity;
  return value;
}
Value Value::Of(const Version* version) {
  Value value = NewValue(Is::kSemver);
  value.version = version;
  return value;
}

std::string_view Memory::KeepText(std::string_view text) {
  if (text.empty()) return {};
  void* const place = Take(text.size(), 1);
  std::memcpy(place, text.data(), text.size());
  return {static_cast<const char*>(place), text.size()};
}

std::span<const Value> Memory::Join(std::span<const Value> one,
                                    std::span<const Value> other) {
  Step(other.size() + 1);
  const std::size_t size = one.size() + other.size();
  for (Growing& list : growing_) {
    if (one.empty() || list.end != one.data() + one.size()) continue;
    if (list.room < other.size()) continue;
    list.end = std::ranges::copy(other, list.end).out;
    list.room -= other.size();
    return {one.data(), size};
  }
  Step(one.size());
  const std::span<Value> joined = New<Value>(2 * size);
  Growing& list = growing_[next_growing_++ % growing_.size()];
  list.end = std::ranges::copy(one, joined.data()).out;
  list.end = std::ranges::copy(other, list.end).out;
  list.room = size;
  return joined.first(size);
}

void Memory::Step(std::size_t steps) {
  steps_ += steps;
  if (steps_ > kMostSteps) {
    throw EvaluationEnded("the expression takes too many steps");
  }
}

void* Memory::Take(std::size_t bytes, std::size_t alignment) {
  kept_ += bytes;
  if (bytes > kMostBytes || kept_ > kMostBytes) {
    throw EvaluationEnded("the expression makes values of over 64 MiB");
  }
  return resource_.allocate(std::max<std::size_t>(bytes, 1), alignment);
}

const MapValue* NewLiteralMap(std::span<const Value> keys_and_values,
                              Memory& memory) {
  std::span<Value> keys = memory.New<Value>(keys_and_values.size() / 2);
  std::span<Value> values = memory.New<Value>(keys.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Value& key = keys_and_values[2 * i];
    std::size_t place = 0;
    while (place < count && !(keys[place].kind == key.kind &&
                              Equal(keys[place], key, memory).IsTrue())) {
      memory.Step();
      ++place;
    }
    keys[place] = key;
    values[place] = keys_and_values[2 * i + 1];
    if (place == count) ++count;
  }
  return memory.Keep(LiteralMap(keys.first(count), values.first(count)));
}

Value Equal(const Value& one, const Value& other, Memory& memory) {
  memory.Step();
  if (one.kind == Is::kNull || other.kind == Is::kNull) {
    return Value::Bool(one.kind == other.kind);
  }
  switch (one.kind) {
    case Is::kInt:
    case Is::kUint:
    case Is::kDouble:
      return Value::Bool(other.IsNumber() && !IsNan(one) && !IsNan(other) &&
                         CompareNumbers(one, other) == 0);
    case Is::kBool:
      return Value::Bool(other.kind == Is::kBool &&
                         one.boolean == other.boolean);
    case Is::kString:
    case Is::kType:
      return Value::Bool(one.kind == other.kind && one.text == other.text);
    case Is::kList:
      return EqualLists(one, other, memory);
    case Is::kMap:
      return EqualMaps(one, other, memory);
    case Is::kOptional:
      if (other.kind != Is::kOptional || !one.held || !other.held) {
        return Value::Bool(other.kind == Is::kOptional && !one.held &&
                           !other.held);
      }
      return Equal(*one.held, *other.held, memory);
    case Is::kQuantity:
      if (other.kind != Is::kQuantity || other.is_sum) break;
      return Value::Bool(Compare(*one.quantity, *other.quantity) == 0);
    case Is::kSemver:
      if (other.kind != Is::kSemver) break;
      return Value::Bool(Compare(*one.version, *other.version) == 0);
    case Is::kError:
      return one;
    case Is::kNull:
      break;
  }
  if (other.IsError()) return other;
  return memory.Error(fmt::format("{} cannot be compared with {}",
                                  TypeName(one), TypeName(other)));
}

Value Order(const Value& one, const Value& other) {
  if (one.IsNumber() && other.IsNumber()) {
    if (IsNan(other) || IsNan(one)) return Value::Error("NaN has no order");
    return Value::Int(CompareNumbers(one, other));
  }
  if (one.kind == other.kind && one.kind == Is::kString) {
    return Value::Int(SignOfOrder(one.text.compare(other.text) <=> 0));
  }
  if (one.kind == other.kind && one.kind == Is::kBool) {
    return Value::Int(one.boolean - other.boolean);
  }
  return Value::Error("values of these types have no order");
}

std::string_view TypeName(const Value& value) {
  switch (value.kind) {
    case Is::kNull:
      return "null_type";
    case Is::kBool:
      return "bool";
    case Is::kInt:
      return "int";
    case Is::kUint:
      return "uint";
    case Is::kDouble:
      return "double";
    case Is::kString:
      return "string";
    case Is::kType:
      return "type";
    case Is::kList:
      return "list";
    case Is::kMap:
      return "map";
    case Is::kOptional:
      return "optional_type";
    case Is::kQuantity:
      return "kubernetes.Quantity";
    case Is::kSemver:
      return "kubernetes.Semver";
    case Is::kError:
      break;
  }
  return "error";
}

std::size_t CountCharacters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t SizeOf(const Value& value) {
  switch (value.kind) {
    case Is::kString:
      return CountCharacters(value.text);
    case Is::kList:
      return value.List().size();
    case Is::kMap:
      return value.map->Size();
    case Is::kOptional:
      return value.held ? SizeOf(*value.held) : 1;
    default:
      return 1;
  }
}

}  // namespace fluxnetes::matcher::cel
