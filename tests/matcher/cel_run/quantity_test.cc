#include "matcher/cel_run/quantity.h"

#include <gtest/gtest.h>

#include <string_view>

namespace fluxnetes::matcher::cel {
namespace {

Quantity Read(std::string_view text) {
  const auto quantity = ReadQuantity(text);
  EXPECT_TRUE(quantity) << text;
  return quantity.value_or(Quantity{});
}

bool AreEqual(std::string_view one, std::string_view other) {
  return Compare(Read(one), Read(other)) == 0;
}

TEST(CelQuantity, SuffixesAndExponentsAreExact) {
  EXPECT_TRUE(AreEqual("1Ki", "1024"));
  EXPECT_TRUE(AreEqual("1.5Gi", "1610612736"));
  EXPECT_TRUE(AreEqual("1000m", "1"));
  EXPECT_TRUE(AreEqual("1e3", "1k"));
  EXPECT_TRUE(AreEqual("1E3", "1k"));
  EXPECT_TRUE(AreEqual("1E", "1000P"));
  EXPECT_TRUE(AreEqual("-0.5", "-500m"));
  EXPECT_TRUE(AreEqual("+5.", "5"));
  EXPECT_TRUE(Compare(Read("0.999999999"), Read("1")) < 0);
  EXPECT_TRUE(Compare(Read("1n"), Read("0")) > 0);
}

TEST(CelQuantity, TooSmallOnesAreRoundedUpAndTooLargeOnesCut) {
  EXPECT_TRUE(AreEqual("0.0000000001", "1n"));
  EXPECT_TRUE(AreEqual("-1e-400", "-1n"));
  EXPECT_TRUE(AreEqual("0e-400", "0"));
  EXPECT_TRUE(AreEqual("1.0000000001", "1.000000001"));
  EXPECT_TRUE(AreEqual("100Ei", "9223372036854775807"));
}

TEST(CelQuantity, OtherTextsAreNone) {
  for (const std::string_view text : {"", "abc", "1KiB", "1 Gi", "1e", "1e+-3",
                                      "--1", "0x10", "1.5.5", "1K"}) {
    EXPECT_FALSE(ReadQuantity(text)) << text;
  }
}

TEST(CelQuantity, IntegersAreThoseThatKubernetesKeepsAsSuch) {
  EXPECT_EQ(AsInteger(Read("80Gi")), std::int64_t{80} << 30);
  EXPECT_EQ(AsInteger(Read("2k")), 2000);
  EXPECT_EQ(AsInteger(Read("1000m")), std::nullopt);
  EXPECT_EQ(AsInteger(Read("1.5Gi")), std::nullopt);
  EXPECT_EQ(AsInteger(Read("1Ei")), std::nullopt);
  EXPECT_EQ(AsApproximateFloat(Read("1500m")), 1.5);
}

TEST(CelQuantity, SumsAreExactAndRefuseOverflow) {
  EXPECT_TRUE(Compare(*Add(Read("1"), Read("500m")), Read("1500m")) == 0);
  EXPECT_TRUE(Compare(*Add(Read("1"), Negate(Read("1Ki"))), Read("-1023")) ==
              0);
  Quantity sum = Read("9223372036854775807");
  int doublings = 0;
  while (const auto more = Add(sum, sum)) {
    sum = *more;
    ++doublings;
  }
  EXPECT_GT(doublings, 30);
}

}  // namespace
}  // namespace fluxnetes::matcher::cel
