#include "cluster/text/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace fluxnetes::cluster {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

std::string WhyNoQuantity(const std::string& text) {
  try {
    return "accepted as " + std::to_string(ParseQuantity(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Quantity, EverySuffixOfKubernetesIsRead) {
  EXPECT_EQ(ParseQuantity("17"), 17);
  EXPECT_EQ(ParseQuantity("3k"), 3'000);
  EXPECT_EQ(ParseQuantity("3M"), 3'000'000);
  EXPECT_EQ(ParseQuantity("3G"), 3'000'000'000);
  EXPECT_EQ(ParseQuantity("3T"), 3'000'000'000'000);
  EXPECT_EQ(ParseQuantity("3P"), 3'000'000'000'000'000);
  EXPECT_EQ(ParseQuantity("3E"), 3'000'000'000'000'000'000);
  EXPECT_EQ(ParseQuantity("3Ki"), 3LL << 10);
  EXPECT_EQ(ParseQuantity("3Mi"), 3LL << 20);
  EXPECT_EQ(ParseQuantity("4Gi"), 4LL << 30);
  EXPECT_EQ(ParseQuantity("3Ti"), 3LL << 40);
  EXPECT_EQ(ParseQuantity("3Pi"), 3LL << 50);
  EXPECT_EQ(ParseQuantity("7Ei"), 7LL << 60);
  EXPECT_EQ(ParseQuantity("1e3"), 1'000);
  EXPECT_EQ(ParseQuantity("1E3"), 1'000);
  EXPECT_EQ(ParseQuantity("1.5e+3"), 1'500);
  EXPECT_EQ(ParseQuantity("1500e-2"), 15);
  EXPECT_EQ(ParseQuantity("1E"), 1'000'000'000'000'000'000);
  EXPECT_EQ(ParseCpuMilli("250m"), 250);
  EXPECT_EQ(ParseCpuMilli("2"), 2'000);
  EXPECT_EQ(ParseCpuMilli("1.5"), 1'500);
  EXPECT_EQ(ParseCpuMilli("100000u"), 100);
  EXPECT_EQ(ParseCpuMilli("2000000n"), 2);
}

TEST(Quantity, OddButValidNumbersAreRead) {
  EXPECT_EQ(ParseQuantity("+5"), 5);
  EXPECT_EQ(ParseQuantity("5."), 5);
  EXPECT_EQ(ParseQuantity(".5Gi"), 1LL << 29);
  EXPECT_EQ(ParseQuantity("000000000000000000000000000007"), 7);
  EXPECT_EQ(ParseQuantity("-0"), 0);
  EXPECT_EQ(ParseQuantity("0e999999999999"), 0);
}

TEST(Quantity, IsExactWhereFloatingPointIsNot) {
  EXPECT_EQ(ParseQuantity("9007199254740993"), 9'007'199'254'740'993);
  EXPECT_EQ(ParseQuantity("9223372036854775807"), kLargest);
  EXPECT_EQ(ParseQuantity("4.3Gi"), 4'617'089'844);  // 4617089843.2
  EXPECT_EQ(ParseQuantity("0.1Ki"), 103);
}

TEST(Quantity, IsRoundedUpToTheUnit) {
  EXPECT_EQ(ParseQuantity("1.0000000000000000000001"), 2);
  EXPECT_EQ(ParseQuantity("100m"), 1);
  EXPECT_EQ(ParseQuantity("1e-999999999999"), 1);
  EXPECT_EQ(ParseCpuMilli("1n"), 1);
  EXPECT_EQ(ParseCpuMilli("0.0001"), 1);
}

TEST(Quantity, OverflowIsRefusedAndNotWrapped) {
  for (const char* text :
       {"9223372036854775808", "9223372036854775807.1", "8Ei", "9.3E", "1e19",
        "1e999999999999", "99999999999999999999999999999"}) {
    EXPECT_THAT(WhyNoQuantity(text), HasSubstr("needs more than 64 bits"))
        << text;
  }
  EXPECT_THROW(ParseCpuMilli("9223372036854775.808"), std::invalid_argument);
  EXPECT_EQ(ParseCpuMilli("9223372036854775.807"), kLargest);
}

TEST(Quantity, NegativeIsRefused) {
  EXPECT_THAT(WhyNoQuantity("-1"), HasSubstr("\"-1\": is negative"));
  EXPECT_THAT(WhyNoQuantity("-1e99"), HasSubstr("is negative"));
}

TEST(Quantity, ErrorQuotesTheTextAndSaysWhatIsRight) {
  const std::string why = WhyNoQuantity("12x");
  EXPECT_THAT(why, HasSubstr("quantity \"12x\""));
  EXPECT_THAT(why, HasSubstr("unknown suffix \"x\""));
  EXPECT_THAT(why, HasSubstr("like 2, 250m, 4Gi, 1e3"));
}

TEST(Quantity, GarbageIsRefused) {
  for (const std::string text :
       {"",      " ",    "1 ", " 1",  ".",   "+",    "-",     "1e",    "1e+",
        "1e1.5", "1ee1", "Ki", "1ki", "1KI", "0x10", "1,5",   "1.2.3", "--1",
        "1e+-3", "1m1",  "١",  "1\n", "NaN", "inf",  "1e--3", "1\xff"}) {
    EXPECT_THAT(WhyNoQuantity(text), HasSubstr("like 2, 250m")) << text;
  }
  EXPECT_THAT(WhyNoQuantity(std::string(1, '\0')), HasSubstr("\\x00"));
  EXPECT_THAT(WhyNoQuantity(std::string(2 << 20, '9')),
              HasSubstr("longer than 64 characters"));
}

TEST(Quantity, WhatIsWrittenIsReadBack) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000},
        std::int64_t{1024}, std::int64_t{1500}, std::int64_t{4} << 30,
        std::int64_t{1'500'000'000}, kLargest, kLargest - 7}) {
    EXPECT_EQ(ParseQuantity(FormatBytes(value)), value);
    EXPECT_EQ(ParseCpuMilli(FormatCpu(value)), value);
  }
  EXPECT_EQ(FormatBytes(4LL << 30), "4Gi");
  EXPECT_EQ(FormatBytes(1'500'000'000), "1500M");
  EXPECT_EQ(FormatBytes(17), "17");
  EXPECT_EQ(FormatBytes(0), "0");
  EXPECT_EQ(FormatCpu(250), "250m");
  EXPECT_EQ(FormatCpu(2000), "2");
}

}  // namespace
}  // namespace fluxnetes::cluster
