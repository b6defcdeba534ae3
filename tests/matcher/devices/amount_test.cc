#include "matcher/devices/amount.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fluxnetes::matcher {
namespace {

std::string AmountWritten(std::string_view text) {
  const auto amount = ReadAmount(text);
  return amount ? ToText(*amount) : "none";
}

TEST(DeviceAmount, IsWrittenAsAPlainNumber) {
  EXPECT_EQ(AmountWritten("10Gi"), "10737418240");
  EXPECT_EQ(AmountWritten("1.5"), "1.5");
  EXPECT_EQ(AmountWritten("-3m"), "-0.003");
  EXPECT_EQ(AmountWritten("1e3"), "1000");
  EXPECT_EQ(AmountWritten("0"), "0");
  EXPECT_EQ(AmountWritten("1n"), "0.000000001");
  EXPECT_EQ(AmountWritten("abc"), "none");
}

TEST(DeviceAmount, IsRoundedUpToBillionthsAndCutToTheLargestInt) {
  EXPECT_EQ(AmountWritten("0.0000000001"), "0.000000001");
  EXPECT_EQ(AmountWritten("100E"), "9223372036854775807");
  EXPECT_EQ(AmountWritten("-100E"), "-9223372036854775807");
}

TEST(DeviceAmount, IsReadAsItIsWritten) {
  for (const std::string_view text :
       {"0", "1.25", "-7", "123456789.000000001"}) {
    EXPECT_EQ(AmountWritten(text), text);
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
