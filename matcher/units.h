// The units of both matchers: times, durations and amounts.
// Tests: tests/matcher/gangs/gang_test.cc.
#pragma once

#include <cstdint>
#include <limits>

namespace fluxnetes::matcher {

using Time = std::int64_t;  // seconds since the epoch
using JobId = std::int64_t;

inline constexpr Time kForever = std::numeric_limits<Time>::max();
inline constexpr std::int64_t kMaxAmount = std::int64_t{1} << 62;

// Returns start + duration; kForever if that has no end.
inline Time EndOf(Time start, Time duration) {
  return duration >= kForever - start ? kForever : start + duration;
}

}  // namespace fluxnetes::matcher
