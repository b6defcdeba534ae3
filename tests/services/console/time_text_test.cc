#include "services/console/time_text.h"

#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr sql::Timestamp kNoon{seconds(1'767'268'800)};  // 2026-01-01T12:00Z

TEST(TimeText, DurationsAreShort) {
  EXPECT_EQ(ShortDuration(milliseconds(0)), "0s");
  EXPECT_EQ(ShortDuration(milliseconds(250)), "250ms");
  EXPECT_EQ(ShortDuration(seconds(119)), "119s");
  EXPECT_EQ(ShortDuration(seconds(150)), "2m30s");
  EXPECT_EQ(ShortDuration(seconds(300)), "5m");
  EXPECT_EQ(ShortDuration(seconds(3'599)), "59m");
  EXPECT_EQ(ShortDuration(seconds(7'260)), "2h1m");
  EXPECT_EQ(ShortDuration(hours(30)), "30h");
  EXPECT_EQ(ShortDuration(hours(24 * 12)), "12d");
  EXPECT_EQ(ShortDuration(seconds(-5)), "0s");
}

TEST(TimeText, TimesAreToldFromNow) {
  EXPECT_EQ(Relative(kNoon + seconds(40), kNoon), "in 40s");
  EXPECT_EQ(Relative(kNoon - seconds(40), kNoon), "40s ago");
  EXPECT_EQ(Age(kNoon - milliseconds(1'900), kNoon), "1s");
  EXPECT_EQ(Age(kNoon + seconds(40), kNoon), "0s");
}

TEST(TimeText, TimesForProgramsAreUtcToTheMicrosecond) {
  EXPECT_EQ(Rfc3339(kNoon), "2026-01-01T12:00:00.000000Z");
  EXPECT_EQ(Rfc3339(kNoon + microseconds(1)), "2026-01-01T12:00:00.000001Z");
  EXPECT_EQ(Rfc3339(sql::Timestamp(microseconds(-1))),
            "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(ShortTime(kNoon), "2026-01-01 12:00:00");
}

}  // namespace
}  // namespace fluxnetes::services
