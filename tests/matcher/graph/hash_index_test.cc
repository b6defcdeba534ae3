#include "matcher/graph/hash_index.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

TEST(HashIndex, FindsWhatWasAddedAndNothingElse) {
  HashIndex index;
  std::vector<std::size_t> values;
  const auto find = [&](std::size_t value) {
    // Five values have the same hash.
    return index.Find(value / 5,
                      [&](std::int32_t i) { return values[i] == value; });
  };
  EXPECT_EQ(find(0), -1);
  constexpr std::size_t kValues = 5'000;
  for (std::size_t value = 0; value < kValues; ++value) {
    index.Add(value / 5, static_cast<std::int32_t>(values.size()));
    values.push_back(value);
  }
  for (std::size_t value = 0; value < kValues; ++value) {
    EXPECT_EQ(find(value), static_cast<std::int32_t>(value));
  }
  EXPECT_EQ(find(kValues), -1);
}

}  // namespace
}  // namespace fluxnetes::matcher
