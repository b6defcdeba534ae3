#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sql/connection/transaction.h"
#include "sql/values/array.h"
#include "tests/support/postgres.h"

namespace fluxnetes::sql {
namespace {

using Type = Array::Type;

constexpr Query kEchoes[] = {
    {"booleans", "SELECT $1::boolean []::text"},
    {"smallints", "SELECT $1::smallint []::text"},
    {"integers", "SELECT $1::integer []::text"},
    {"bigints", "SELECT $1::bigint []::text"},
    {"texts", "SELECT $1::text []::text"},
    {"jsons", "SELECT $1::jsonb []::text"},
    {"times", "SELECT $1::timestamptz []::text"},
};

class ArrayTest : public ::testing::Test {
 protected:
  ArrayTest() {
    database.Execute("CREATE SCHEMA IF NOT EXISTS " + database.schema());
    database.UseCatalogues({kEchoes});
  }

  // Reads an array of these values back as PostgreSQL's text.
  template <typename T>
  std::string Read(Type type, const std::vector<T>& values) {
    Array array(type, values.size());
    for (const T& value : values) array.Add(value);
    EXPECT_EQ(array.size(), values.size());
    return RunAlone(database.pool(), kEchoes[static_cast<int>(type)],
                    array.Take())[0]
        .template Get<std::string>(0);
  }

  fluxnetes::testing::TestDatabase database{false};
};

TEST_F(ArrayTest, NumbersArriveToTheirLimits) {
  using Small = std::numeric_limits<std::int16_t>;
  using Integer = std::numeric_limits<std::int32_t>;
  using Big = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(Read<int>(Type::kSmallint, {1, -1, Small::min(), Small::max()}),
            "{1,-1,-32768,32767}");
  EXPECT_EQ(Read<int>(Type::kInteger, {0, Integer::min(), Integer::max()}),
            "{0,-2147483648,2147483647}");
  EXPECT_EQ(Read<std::int64_t>(Type::kBigint, {Big::min(), Big::max()}),
            "{-9223372036854775808,9223372036854775807}");
  EXPECT_EQ(Read<int>(Type::kBoolean, {1, 0}), "{t,f}");
}

TEST_F(ArrayTest, TextArrivesUnchanged) {
  EXPECT_EQ(Read<std::string>(Type::kText, {"a", "", "NULL", "ü\"\\{,}"}),
            R"({a,"","NULL","ü\"\\{,}"})");
  EXPECT_EQ(Read<std::string>(Type::kJsonb, {R"({"a":[1,"ü"]})"}),
            R"({"{\"a\": [1, \"ü\"]}"})");
}

TEST_F(ArrayTest, TimesArriveToTheMicrosecond) {
  const Timestamp noon =
      std::chrono::sys_days(std::chrono::year(2100) / std::chrono::May / 4) +
      std::chrono::hours(12) + std::chrono::microseconds(1);
  const Timestamp old =
      std::chrono::sys_days(std::chrono::year(1969) / std::chrono::July / 20);
  EXPECT_EQ(Read<Timestamp>(Type::kTimestamptz, {noon, old}),
            R"({"2100-05-04 12:00:00.000001+00","1969-07-20 00:00:00+00"})");
}

TEST_F(ArrayTest, NothingIsNullAndAnEmptyOneIsEmpty) {
  EXPECT_EQ(Read<std::optional<int>>(Type::kBigint, {1, {}, 3}), "{1,NULL,3}");
  EXPECT_EQ(Read<std::optional<std::string>>(Type::kText, {{}}), "{NULL}");
  EXPECT_EQ(Read<int>(Type::kBigint, {}), "{}");
}

TEST_F(ArrayTest, WhatTheTypeDoesNotHoldIsRefused) {
  Array small(Type::kSmallint);
  EXPECT_THROW(small.Add(32'768), std::out_of_range);
  EXPECT_THROW(small.Add(-32'769), std::out_of_range);
  EXPECT_THROW(small.Add("1"), std::logic_error);
  EXPECT_THROW(small.Add(Timestamp()), std::logic_error);
  EXPECT_THROW(Array(Type::kText).Add(1), std::logic_error);
}

}  // namespace
}  // namespace fluxnetes::sql
