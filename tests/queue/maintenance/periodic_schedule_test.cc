#include "queue/maintenance/periodic_schedule.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace fluxnetes::queue {
namespace {

using namespace std::chrono;  // NOLINT(google-build-using-namespace): dates

// "2026-11-21 23:50" and back.
sql::Timestamp At(const std::string& text) {
  int y = 0;
  int mo = 0;
  int d = 0;
  int h = 0;
  int mi = 0;
  int s = 0;
  std::sscanf(text.c_str(), "%d-%d-%d %d:%d:%d", &y, &mo, &d, &h, &mi, &s);
  return sys_days(year(y) / mo / d) + hours(h) + minutes(mi) + seconds(s);
}

std::string Text(sql::Timestamp time) {
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(time - day));
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d",
                int(date.year()), unsigned(date.month()), unsigned(date.day()),
                int(clock.hours().count()), int(clock.minutes().count()),
                int(clock.seconds().count()));
  return text;
}

std::string Next(const std::string& schedule, const std::string& after) {
  return Text(PeriodicSchedule(schedule).Next(At(after)));
}

TEST(PeriodicSchedule, IntervalsAreCountedFrom1970) {
  EXPECT_EQ(Next("every 5m", "2026-11-21 23:52:11"), "2026-11-21 23:55:00");
  EXPECT_EQ(Next("every 5m", "2026-11-21 23:55:00"), "2026-11-22 00:00:00");
  EXPECT_EQ(Next("every 90s", "1970-01-01 00:00:00"), "1970-01-01 00:01:30");
  EXPECT_EQ(Next("every 1d", "2026-11-21 00:00:00"), "2026-11-22 00:00:00");
  EXPECT_EQ(Next("every 1h", "1969-12-31 22:30:00"), "1969-12-31 23:00:00");
  EXPECT_EQ(PeriodicSchedule("every 1s")
                .Next(At("2026-11-21 00:00:00") + microseconds(1)),
            At("2026-11-21 00:00:01"));
}

TEST(PeriodicSchedule, FieldsAreThoseOfCrontab) {
  EXPECT_EQ(Next("30 4 * * *", "2026-11-21 04:30"), "2026-11-22 04:30:00");
  EXPECT_EQ(Next("30 4 * * *", "2026-11-21 04:29:59"), "2026-11-21 04:30:00");
  EXPECT_EQ(Next("*/15 * * * *", "2026-11-21 23:46"), "2026-11-22 00:00:00");
  EXPECT_EQ(Next("5,10-12 8 * * *", "2026-11-21 08:05"), "2026-11-21 08:10:00");
  EXPECT_EQ(Next("0 9-17/4 * * *", "2026-11-21 10:00"), "2026-11-21 13:00:00");
  EXPECT_EQ(Next("50/5 0 * * *", "2026-11-21 00:50"), "2026-11-21 00:55:00");
  EXPECT_EQ(Next("0 0 1 jan *", "2026-11-21 00:00"), "2027-01-01 00:00:00");
}

TEST(PeriodicSchedule, SundayIsZeroAndSeven) {
  for (const char* sunday : {"0 0 * * 0", "0 0 * * 7", "0 0 * * Sun"})
    EXPECT_EQ(Next(sunday, "2026-11-21 12:00"), "2026-11-22 00:00:00");
  EXPECT_EQ(Next("0 0 * * 1-5", "2026-11-21 12:00"), "2026-11-23 00:00:00");
  EXPECT_EQ(Next("0 0 * * 5-7", "2026-11-21 12:00"), "2026-11-22 00:00:00");
}

TEST(PeriodicSchedule, TwoRestrictedDaysMeanEither) {
  EXPECT_EQ(Next("0 0 13 * fri", "2026-11-21 00:00"), "2026-11-27 00:00:00");
  EXPECT_EQ(Next("0 0 13 * fri", "2026-12-12 00:00"), "2026-12-13 00:00:00");
  EXPECT_EQ(Next("0 0 */2 * fri", "2026-11-21 00:00"), "2026-11-27 00:00:00");
}

TEST(PeriodicSchedule, LeapDaysAreWaitedFor) {
  EXPECT_EQ(Next("0 0 29 2 *", "2096-02-29 00:00"), "2104-02-29 00:00:00");
  EXPECT_EQ(Next("0 0 31 * *", "2026-11-01 00:00"), "2026-12-31 00:00:00");
}

TEST(PeriodicSchedule, ShorthandsAreKnown) {
  EXPECT_EQ(Next("@hourly", "2026-11-21 12:00"), "2026-11-21 13:00:00");
  EXPECT_EQ(Next("@weekly", "2026-11-21 12:00"), "2026-11-22 00:00:00");
  EXPECT_EQ(Next("@yearly", "2026-11-21 12:00"), "2027-01-01 00:00:00");
}

TEST(PeriodicSchedule, WhatIsNoScheduleIsRefused) {
  for (const char* text : {"",
                           "every",
                           "every 0s",
                           "every 5",
                           "every m",
                           "every -1m",
                           "every 400d",
                           "every 99999999999s",
                           "* * * *",
                           "* * * * * *",
                           "60 * * * *",
                           "* 24 * * *",
                           "* * 0 * *",
                           "* * * 13 *",
                           "* * * * 8",
                           "*/0 * * * *",
                           "5-1 * * * *",
                           ", * * * *",
                           "1, * * * *",
                           "x * * * *",
                           "0 0 30 2 *",
                           "0 0 31 4,6 *",
                           "@never",
                           "1- * * * *",
                           "*/ * * * *"})
    EXPECT_THROW(PeriodicSchedule{text}, std::invalid_argument) << text;
}

}  // namespace
}  // namespace fluxnetes::queue
