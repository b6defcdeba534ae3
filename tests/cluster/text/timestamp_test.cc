#include "cluster/text/timestamp.h"

#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

TEST(Timestamp, IsReadWithFractionAndOffset) {
  const auto noon = ParseTimestamp("2026-01-01T12:00:00Z");
  ASSERT_TRUE(noon);
  EXPECT_EQ(noon->time_since_epoch(), std::chrono::seconds(1'767'268'800));
  EXPECT_EQ(ParseTimestamp("2026-01-01T14:00:00+02:00"), noon);
  EXPECT_EQ(ParseTimestamp("2026-01-01T09:30:00-02:30"), noon);
  EXPECT_EQ(ParseTimestamp("2026-01-01T12:00:00.000001999Z"),
            *noon + std::chrono::microseconds(1));
}

TEST(Timestamp, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "null", "2026-01-01", "2026-01-01T12:00:00", "2026-13-01T12:00:00Z",
        "2026-02-30T12:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01 12:00:00Z",
        "2026-01-01T12:00:00.Z", "2026-01-01T12:00:00Zx",
        "2026-01-01T12:00:00+2:00"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(Timestamp, WhatIsWrittenIsReadBack) {
  const Time time{std::chrono::microseconds(1'767'268'800'012'345)};
  EXPECT_EQ(FormatTimestamp(time), "2026-01-01T12:00:00Z");
  EXPECT_EQ(FormatMicroTimestamp(time), "2026-01-01T12:00:00.012345Z");
  EXPECT_EQ(ParseTimestamp(FormatMicroTimestamp(time)), time);
}

}  // namespace
}  // namespace fluxnetes::cluster
