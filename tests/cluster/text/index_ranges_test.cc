#include "cluster/text/index_ranges.h"

#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

TEST(IndexRanges, AreReadAndWritten) {
  const IndexRanges ranges = {{0, 0}, {3, 5}, {9, 9}};
  EXPECT_EQ(ParseIndexes("0,3-5,9"), ranges);
  EXPECT_EQ(FormatIndexes(ranges), "0,3-5,9");
  EXPECT_EQ(ParseIndexes(""), IndexRanges());
  EXPECT_EQ(CountOf(ranges), 5);
}

TEST(IndexRanges, OfASetAreAsLongAsTheyCanBe) {
  EXPECT_EQ(FormatIndexes(RangesOf({1, 2, 3, 5, 7, 8})), "1-3,5,7-8");
  EXPECT_EQ(FormatIndexes(RangesOf({})), "");
}

TEST(IndexRanges, OtherTextsAreRefused) {
  for (const char* const text :
       {"a", "1,", ",1", "2,1", "1,1", "1-1", "3-2", "-1", "1-", "1-2-3",
        "1-3,3", "1 ,2", "99999999999"}) {
    EXPECT_EQ(ParseIndexes(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
