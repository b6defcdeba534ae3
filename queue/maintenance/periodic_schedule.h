// When a periodic job is due, as text and as a rule; all times are UTC.
//
//   every 90s           s, m, h or d; counted from 1970, so that "every 1h" is
//                       on the hour and two processes agree
//   30 4 * * 1-5        minute, hour, day of month, month, day of week, as
//                       crontab(5) has them: lists, ranges, steps, names, and a
//                       day that fits either of the two if both are restricted
//   @hourly @daily @weekly @monthly @yearly
//
// Plain values; no clock.
#pragma once

#include <bitset>
#include <chrono>
#include <string>

#include "sql/values/parameter.h"

namespace fluxnetes::queue {

class PeriodicSchedule {
 public:
  // Throws std::invalid_argument for what is no schedule, or one that never
  // comes (30 February).
  explicit PeriodicSchedule(const std::string& text);

  // The first tick after that time.
  sql::Timestamp Next(sql::Timestamp after) const;

 private:
  void ParseCron(const std::string& text);
  bool FitsDay(std::chrono::sys_days day) const;

  std::chrono::seconds interval_{0};  // 0: the fields
  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;  // 0 is Sunday
  bool either_day_ = false;  // both kinds of day are restricted
};

}  // namespace fluxnetes::queue
