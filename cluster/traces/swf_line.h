// A job's line of a trace: 18 numbers between blanks. A number is whole, or, in
// fields of time, memory and think time, may have a fraction or an exponent.
// Times are rounded to whole seconds, halves up. "4.0" is a whole number. A
// number below 0 means that the value is not known.
//
// Pure.
// Tests: tests/cluster/traces/swf_trace_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// Statuses: of parts of a job, 2 to 4, and of a cancelled job.
constexpr std::int64_t kSwfPartGoesOn = 2;
constexpr std::int64_t kSwfPartFailed = 4;
constexpr std::int64_t kSwfCancelled = 5;

constexpr std::int64_t kMostSwfSeconds = std::int64_t{1} << 40;

// The fields that a reader of traces needs; below 0: not known.
struct SwfLine {
  std::int64_t number = -1;
  std::int64_t submit = -1;  // seconds, as all times
  std::int64_t runs = -1;
  std::int64_t allocated = -1;  // processors
  std::int64_t asked = -1;      // processors
  std::int64_t requested = -1;
  std::int64_t status = -1;
  std::int64_t user = -1;
  std::int64_t queue = -1;
  std::int64_t partition = -1;
  std::int64_t preceding = -1;  // number of a job
  bool rounded = false;         // one of the times
};

// `source` and `line` name the place in errors. Throws InputError that names
// the field, the fault and the value expected.
SwfLine ReadSwfLine(std::string_view text, const std::string& source,
                    std::int64_t line);

}  // namespace fluxnetes::cluster
