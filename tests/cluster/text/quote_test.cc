#include "cluster/text/quote.h"

#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::cluster {
namespace {

TEST(Quote, KeepsReadableTextAndEscapesTheRest) {
  EXPECT_EQ(Quote(""), "\"\"");
  EXPECT_EQ(Quote("naïve 🚀 100%"), "\"naïve 🚀 100%\"");
  EXPECT_EQ(Quote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quote("a\nb\x1b[31m"), R"("a\x0ab\x1b[31m")");
}

TEST(Quote, InvalidUtf8IsEscapedByteByByte) {
  EXPECT_EQ(Quote("\xff"), R"("\xff")");
  EXPECT_EQ(Quote("\xf0\x9f\x9a"), R"("\xf0\x9f\x9a")");
  EXPECT_EQ(Quote("\xc0\x80"), R"("\xc0\x80")");
}

TEST(Quote, LongTextIsCut) {
  const std::string quoted = Quote(std::string(2 << 20, 'a'));
  EXPECT_LT(quoted.size(), 100U);
  EXPECT_NE(quoted.find("(2097152 bytes)"), std::string::npos);
}

}  // namespace
}  // namespace fluxnetes::cluster
