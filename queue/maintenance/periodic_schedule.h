// The schedule of a periodic job, as text and as a rule; all times are UTC.
//
//   every 90s           s, m, h or d; counted from 1970, so that "every 1h" is
//                       on the hour and two processes agree
//   30 4 * * 1-5        minute, hour, day of month, month, day of week, as in
//                       crontab(5): lists, ranges, steps, names; if both day
//                       fields are restricted, a day that matches either one
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
  // Throws std::invalid_argument for an invalid schedule, or one without any
  // tick (30 February).
  explicit PeriodicSchedule(const std::string& text);

  // Returns the first tick after `after`.
  sql::Timestamp Next(sql::Timestamp after) const;

 private:
  void ParseCron(const std::string& text);
  bool FitsDay(std::chrono::sys_days day) const;

  std::chrono::seconds interval_{0};  // 0: the fields apply
  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;  // 0 is Sunday
  bool either_day_ = false;  // both day fields are restricted
};

}  // namespace fluxnetes::queue
