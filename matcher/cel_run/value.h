// Values of CEL while an expression is evaluated.
//
// A value is small and copied freely. What it points to belongs to a Memory, to
// the plan of the expression, or to what is evaluated (a device), and lives
// until the end of the evaluation.
//
// Tests: tests/matcher/cel_run/value_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "matcher/cel_run/quantity.h"
#include "matcher/cel_run/version.h"

namespace fluxnetes::matcher::cel {

class MapValue;

struct Value {
  enum class Kind : std::uint8_t {
    kError,  // `text` says why
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kType,  // `text` is its name
    kList,
    kMap,
    kOptional,  // `held` may be null
    kQuantity,
    kSemver,
  };
  struct Elements {
    const Value* first;
    std::size_t count;
  };

  Kind kind = Kind::kNull;
  // A quantity that add or sub made. Kubernetes cannot compare another with
  // such a one by ==.
  bool is_sum = false;
  union {
    std::int64_t integer = 0;
    bool boolean;
    std::uint64_t natural;
    double real;
    const MapValue* map;
    const Value* held;
    const Quantity* quantity;
    const Version* version;
  };
  union {
    std::string_view text = {};
    Elements elements;
  };

  bool IsError() const { return kind == Kind::kError; }
  bool IsTrue() const { return kind == Kind::kBool && boolean; }
  bool IsFalse() const { return kind == Kind::kBool && !boolean; }
  bool IsNumber() const {
    return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble;
  }
  std::span<const Value> List() const {
    return {elements.first, elements.count};
  }

  static Value Null() { return {}; }
  static Value Bool(bool boolean);
  static Value Int(std::int64_t integer);
  static Value Uint(std::uint64_t natural);
  static Value Double(double real);
  // The text is not copied.
  static Value String(std::string_view text);
  static Value TypeNamed(std::string_view name);
  static Value Error(std::string_view text);
  static Value List(std::span<const Value> elements);
  static Value Map(const MapValue* map);
  static Value Optional(const Value* held);
  static Value Of(const Quantity* quantity);
  static Value Of(const Version* version);
};

// What ends an evaluation at once, whatever && or || it stands in: it costs too
// much.
class EvaluationEnded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Keeps what an evaluation makes until its end. Throws EvaluationEnded when it
// has kept 64 MiB or counted 50 million steps, which bounds expressions whose
// cost, as Kubernetes counts it, does not.
class Memory {
 public:
  Memory() : resource_(room_, sizeof room_) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Values of types without destructors.
  template <class T>
  std::span<T> New(std::size_t count) {
    void* const place = Take(count * sizeof(T), alignof(T));
    T* const first = static_cast<T*>(place);
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return {first, count};
  }
  template <class T>
  const T* Keep(const T& value) {
    return new (Take(sizeof(T), alignof(T))) T(value);
  }
  std::string_view KeepText(std::string_view text);
  Value Error(std::string_view text) { return Value::Error(KeepText(text)); }

  // The elements of both, in place if the first is the latest result: a loop
  // that appends to a list takes linear time.
  std::span<const Value> Join(std::span<const Value> one,
                              std::span<const Value> other);

  void Step(std::size_t steps = 1);

 private:
  // A list of Join(), which has room to grow.
  struct Growing {
    Value* end = nullptr;
    std::size_t room = 0;
  };

  void* Take(std::size_t bytes, std::size_t alignment);

  alignas(std::max_align_t) std::byte room_[2048];
  std::pmr::monotonic_buffer_resource resource_;
  std::size_t kept_ = 0;
  std::size_t steps_ = 0;
  std::array<Growing, 4> growing_;  // of nested loops
  std::size_t next_growing_ = 0;
};

// A map, in whatever form it is there. Has no destructor: a Memory holds it.
class MapValue {
 public:
  // Nothing: it has no such key.
  virtual std::optional<Value> Find(const Value& key, Memory& memory) const = 0;
  // What `key in map` says; the same as Find, but for maps with a default.
  virtual bool Contains(const Value& key, Memory& memory) const = 0;
  virtual std::size_t Size() const = 0;
  virtual std::span<const Value> Keys(Memory& memory) const = 0;

 protected:
  ~MapValue() = default;
};

// A map of a literal; the later of equal keys counts.
const MapValue* NewLiteralMap(std::span<const Value> keys_and_values,
                              Memory& memory);

// As == has it: a bool, or an error for values that cannot be compared.
Value Equal(const Value& one, const Value& other, Memory& memory);
// -1, 0 or 1 as an int; an error for values without an order.
Value Order(const Value& one, const Value& other);
// What type(value) is called.
std::string_view TypeName(const Value& value);
// Elements of lists and maps, characters of strings; else 1.
std::size_t SizeOf(const Value& value);
std::size_t CountCharacters(std::string_view text);

}  // namespace fluxnetes::matcher::cel
