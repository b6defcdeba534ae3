#include "matcher/devices/amount.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fluxnetes::matcher {
namespace {

std::string Written(std::string_view text) {
  const auto amount = ReadAmount(text);
  return amount ? ToText(*amount) : "none";
}

TEST(DeviceAmount, IsWrittenAsAPlainNumber) {
  EXPECT_EQ(Written("10Gi"), "10737418240");
  EXPECT_EQ(Written("1.5"), "1.5");
  EXPECT_EQ(Written("-3m"), "-0.003");
  EXPECT_EQ(Written("1e3"), "1000");
  EXPECT_EQ(Written("0"), "0");
  EXPECT_EQ(Written("1n"), "0.000000001");
  EXPECT_EQ(Written("abc"), "none");
}

TEST(DeviceAmount, IsRoundedUpToBillionthsAndCutToTheLargestInt) {
  EXPECT_EQ(Written("0.0000000001"), "0.000000001");
  EXPECT_EQ(Written("100E"), "9223372036854775807");
  EXPECT_EQ(Written("-100E"), "-9223372036854775807");
}

TEST(DeviceAmount, IsReadAsItIsWritten) {
  for (const std::string_view text :
       {"0", "1.25", "-7", "123456789.000000001"}) {
    EXPECT_EQ(Written(text), text);
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
