#include "sql/values/text_form.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace fluxnetes::sql {
namespace {

using Strings = std::vector<std::string>;

Timestamp At(int year, unsigned month, unsigned day,
             std::chrono::microseconds time = {}) {
  return std::chrono::sys_days(std::chrono::year(year) /
                               std::chrono::month(month) /
                               std::chrono::day(day)) +
         time;
}

TEST(TextForm, NumbersAreReadWhole) {
  EXPECT_EQ(FromText<int>("-42"), -42);
  EXPECT_EQ(FromText<std::int64_t>("9223372036854775807"),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(FromText<double>("1.5e3"), 1500.0);
  for (const char* text : {"", "1x", " 1", "1 ", "2147483648", "--1", "1.0"})
    EXPECT_THROW(FromText<int>(text), std::invalid_argument) << text;
}

TEST(TextForm, TruthIsOneLetter) {
  EXPECT_TRUE(FromText<bool>("t"));
  EXPECT_FALSE(FromText<bool>("f"));
  EXPECT_THROW(FromText<bool>("true"), std::invalid_argument);
}

TEST(TextForm, TimesAreReadToTheMicrosecond) {
  using std::chrono::hours;
  using std::chrono::microseconds;
  EXPECT_EQ(FromText<Timestamp>("2024-02-29 13:00:01.000002+00"),
            At(2024, 2, 29, hours(13) + microseconds(1'000'002)));
  EXPECT_EQ(FromText<Timestamp>("2024-02-29 13:00:00.5+00"),
            At(2024, 2, 29, hours(13) + microseconds(500'000)));
  EXPECT_EQ(FromText<Timestamp>("0044-03-15 00:00:00+00 BC"), At(-43, 3, 15));
  EXPECT_EQ(FromText<Timestamp>("infinity"), Timestamp::max());
  EXPECT_EQ(FromText<Timestamp>("-infinity"), Timestamp::min());
  for (const char* text : {"", "2024-02-29", "2024-02-29 13:00:00",
                           "2024-02-29 13:00:00+01", "now", "+00"})
    EXPECT_THROW(FromText<Timestamp>(text), std::invalid_argument) << text;
}

TEST(TextForm, ATimeComesBackAsItWent) {
  for (const Timestamp time :
       {At(1970, 1, 1), At(1969, 12, 31, std::chrono::microseconds(-1)),
        At(9999, 12, 31), At(1, 1, 1), At(-43, 3, 15)})
    EXPECT_EQ(FromText<Timestamp>(*Parameter(time).text()), time);
}

TEST(TextForm, ArraysComeBackAsTheyWent) {
  const Strings words = {"plain", "",   "two words", "comma,",  "br{ace}",
                         "q\"uo", "\\", "NULL",      "Null",    "null",
                         "ü😀",    "\t", "\n",        "nullable"};
  EXPECT_EQ(FromText<Strings>(*Parameter(words).text()), words);
  const std::vector<std::int64_t> numbers = {1, -2, 9'000'000'000};
  EXPECT_EQ(FromText<std::vector<std::int64_t>>(*Parameter(numbers).text()),
            numbers);
  EXPECT_EQ(FromText<Strings>("{}"), Strings());
  EXPECT_EQ(FromText<Strings>(*Parameter(Strings{""}).text()), Strings{""});
}

TEST(TextForm, WhatIsNoFlatArrayIsRefused) {
  for (const char* text : {"", "{", "}", "a", "{a", "{\"a}", "{a\\}", "{{1}}",
                           "{NULL}", "{a,", "{\"a\""})
    EXPECT_THROW(FromText<Strings>(text), std::invalid_argument) << text;
}

TEST(Parameter, NothingIsNull) {
  EXPECT_FALSE(Parameter(std::optional<int>()).text());
  EXPECT_FALSE(Parameter(std::nullopt).text());
  EXPECT_EQ(*Parameter(std::vector<std::optional<int>>{1, {}, 3}).text(),
            "{1,NULL,3}");
}

}  // namespace
}  // namespace fluxnetes::sql
