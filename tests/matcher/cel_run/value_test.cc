#include "matcher/cel_run/value.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace fluxnetes::matcher::cel {
namespace {

TEST(CelValue, NumbersOfAllTypesCompareByTheirAmount) {
  Memory memory;
  const auto equal = [&memory](const Value& one, const Value& other) {
    return Equal(one, other, memory).IsTrue();
  };
  EXPECT_TRUE(equal(Value::Int(1), Value::Double(1.0)));
  EXPECT_TRUE(equal(Value::Uint(1), Value::Int(1)));
  EXPECT_FALSE(equal(Value::Int(-1), Value::Uint(~std::uint64_t{0})));
  const Value nan = Value::Double(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(equal(nan, nan));
  EXPECT_TRUE(Order(nan, Value::Int(1)).IsError());
  EXPECT_EQ(Order(Value::Int(-1), Value::Uint(~std::uint64_t{0})).integer, -1);
  EXPECT_FALSE(equal(Value::Null(), Value::Int(0)));
  EXPECT_FALSE(equal(Value::String("1"), Value::Int(1)));
}

TEST(CelValue, QuantitiesAndVersionsCompareWithTheirOwnKindAlone) {
  Memory memory;
  const Value quantity = Value::Of(memory.Keep(*ReadQuantity("1Ki")));
  const Value same = Value::Of(memory.Keep(*ReadQuantity("1024")));
  const Value version = Value::Of(memory.Keep(*ReadVersion("1.2.3")));
  EXPECT_TRUE(Equal(quantity, same, memory).IsTrue());
  EXPECT_TRUE(Equal(quantity, version, memory).IsError());
  EXPECT_TRUE(Equal(version, Value::String("1.2.3"), memory).IsError());
  EXPECT_TRUE(Equal(Value::String("1.2.3"), version, memory).IsFalse());
}

TEST(CelValue, MapsHaveEachKeyOnce) {
  Memory memory;
  const std::array<Value, 6> parts = {Value::String("a"), Value::Int(1),
                                      Value::String("b"), Value::Int(2),
                                      Value::String("a"), Value::Int(3)};
  const MapValue* const map = NewLiteralMap(parts, memory);
  EXPECT_EQ(map->Size(), 2u);
  EXPECT_EQ(map->Find(Value::String("a"), memory)->integer, 3);
  EXPECT_FALSE(map->Find(Value::String("c"), memory));
}

TEST(CelValue, ListsGrowInPlaceWithoutChangingWhatTheyGrewFrom) {
  Memory memory;
  const std::array<Value, 1> one = {Value::Int(1)};
  const std::array<Value, 1> two = {Value::Int(2)};
  const auto base = memory.Join(one, one);
  const auto longer = memory.Join(base, one);
  const auto other = memory.Join(base, two);
  EXPECT_EQ(longer.data(), base.data());
  EXPECT_NE(other.data(), base.data());
  EXPECT_EQ(longer.back().integer, 1);
  EXPECT_EQ(other.back().integer, 2);
}

TEST(CelValue, MemoryAndStepsAreLimited) {
  Memory memory;
  EXPECT_THROW(memory.New<char>(std::size_t{65} << 20), EvaluationEnded);
  Memory small;
  EXPECT_THROW(
      for (int i = 0; i < 65; ++i) small.New<char>(std::size_t{1} << 20),
      EvaluationEnded);
  Memory steps;
  EXPECT_THROW(steps.Step(50'000'001), EvaluationEnded);
}

TEST(CelValue, SizesCountCharacters) {
  EXPECT_EQ(SizeOf(Value::String("h\u00e9llo")), 5u);
  EXPECT_EQ(SizeOf(Value::Int(7)), 1u);
}

}  // namespace
}  // namespace fluxnetes::matcher::cel
