// Headers of traces: which number they say, and when they say none or an
// unclear one.
#include "cluster/traces/swf_header.h"

#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

struct HeaderCase {
  std::string comment;
  std::int64_t value;  // 0: nothing
  std::string fault;   // "?...": unclear
};

class SwfHeaderOf : public ::testing::TestWithParam<HeaderCase> {};

TEST_P(SwfHeaderOf, SaysOneNumberOrWhyNot) {
  SwfHeader header("MaxNodes");
  EXPECT_TRUE(header.Take(GetParam().comment, "t.swf:3"));
  EXPECT_EQ(header.value().value_or(0), GetParam().value);
  EXPECT_EQ((header.unclear() ? "?" : "") + header.fault(), GetParam().fault);
}

std::string Unclear(const std::string& text) {
  return "?t.swf:3: MaxNodes is \"" + text +
         "\"; right would be a whole number up to 2147483647";
}

INSTANTIATE_TEST_SUITE_P(
    SwfHeader, SwfHeaderOf,
    ::testing::Values(
        HeaderCase{" MaxNodes: 128", 128, ""},
        HeaderCase{"MaxNodes:128\r", 128, ""},
        HeaderCase{"\tmaxnodes :\t128 ", 128, ""},
        HeaderCase{" MaxNodes: 1,152", 1'152, ""},
        HeaderCase{" MaxNodes: 1,048,576 (all)", 1'048'576, ""},
        HeaderCase{" MaxNodes: 128 (64+64)", 128, ""},
        HeaderCase{" MaxNodes: 128(64+64)", 128, ""},
        HeaderCase{" MaxNodes: 128, of them 2 fat", 128, ""},
        HeaderCase{" MaxNodes: 128.", 128, ""},
        HeaderCase{" MaxNodes: 128 - some are slow", 128, ""},
        HeaderCase{" MaxNodes: 128 n\xF8"
                   "der",
                   128, ""},
        HeaderCase{" MaxNodes: 128 of 64-way", 128, ""},
        HeaderCase{" MaxNodes:", 0, "t.swf:3: MaxNodes is empty"},
        HeaderCase{" MaxNodes: -1", 0, "t.swf:3: MaxNodes is \"-1\""},
        HeaderCase{" MaxNodes: 0", 0, "t.swf:3: MaxNodes is \"0\""},
        HeaderCase{" MaxNodes: many", 0, "t.swf:3: MaxNodes is \"many\""},
        HeaderCase{" MaxNodes: 1,15", 0, Unclear("1,15")},
        HeaderCase{" MaxNodes: 1,1520", 0, Unclear("1,1520")},
        HeaderCase{" MaxNodes: 1152,000,", 0, Unclear("1152,000,")},
        HeaderCase{" MaxNodes: 1.152", 0, Unclear("1.152")},
        HeaderCase{" MaxNodes: 1'152", 0, Unclear("1'152")},
        HeaderCase{" MaxNodes: 1 152", 0, Unclear("1 152")},
        HeaderCase{" MaxNodes: 64 + 64", 0, Unclear("64 + 64")},
        HeaderCase{" MaxNodes: 64 x 2", 0, Unclear("64 x 2")},
        HeaderCase{" MaxNodes: 64x2", 0, Unclear("64x2")},
        HeaderCase{" MaxNodes: about 128", 0, Unclear("about 128")},
        HeaderCase{" MaxNodes: 9,999,999,999", 0, Unclear("9,999,999,999")}));

TEST(SwfHeader, OtherCommentsAreNotTaken) {
  SwfHeader header("MaxNodes");
  EXPECT_FALSE(header.Take(" MaxProcs: 128", "t.swf:1"));
  EXPECT_FALSE(header.Take(" MaxNodesPerUser: 128", "t.swf:1"));
  EXPECT_FALSE(header.Take(" Note: MaxNodes: 128", "t.swf:1"));
  EXPECT_FALSE(header.Take("", "t.swf:1"));
  EXPECT_EQ(header.value(), std::nullopt);
  EXPECT_EQ(header.fault(), "");
}

TEST(SwfHeader, MayBeRepeatedWithTheSameNumber) {
  SwfHeader header("MaxNodes");
  header.Take("MaxNodes:", "t.swf:1");
  header.Take("MaxNodes: 128", "t.swf:2");
  header.Take("MaxNodes: -1", "t.swf:3");
  header.Take("MaxNodes: 128", "t.swf:4");
  EXPECT_EQ(header.value(), 128);
  EXPECT_EQ(header.fault(), "");
}

TEST(SwfHeader, IsUnclearWithTwoNumbers) {
  SwfHeader header("MaxNodes");
  header.Take("MaxNodes: 128", "t.swf:2");
  header.Take("MaxNodes: 256", "t.swf:9");
  header.Take("MaxNodes: 128", "t.swf:10");
  EXPECT_EQ(header.value(), std::nullopt);
  EXPECT_TRUE(header.unclear());
  EXPECT_EQ(header.fault(), "t.swf:9: MaxNodes is \"256\", and was 128 before");
}

}  // namespace
}  // namespace fluxnetes::cluster
