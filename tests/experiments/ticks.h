// Schedules count in integers; an experiment counts in tenths of a second,
// because its gangs arrive 0.3 s apart.
#pragma once

#include <cmath>
#include <cstdint>

namespace fluxnetes::testing {

inline constexpr double kTicksInSecond = 10;

inline std::int64_t Ticks(double seconds) {
  return std::llround(seconds * kTicksInSecond);
}

inline double Seconds(std::int64_t ticks) {
  return static_cast<double>(ticks) / kTicksInSecond;
}

}  // namespace fluxnetes::testing
