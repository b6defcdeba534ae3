// Traces of batch jobs in the Standard Workload Format, version 2.2 (D.
// Feitelson, https://www.cs.huji.ac.il/labs/parallel/workload/swf.html): a job
// a line, 18 numbers between blanks, -1 for what is not known; lines that begin
// with ";" are remarks, those of the form "; MaxNodes: 128" a header.
//
// What of a job is used:
//
//    1 number      2 submit time     4 run time      5 processors it had
//    8 processors it asked for, where 5 is unknown   9 time it asked for
//   11 status      12 user           15 queue
//
// A job without processors or without a run time, one that was cancelled before
// it ran, and a part of a job that was swapped out (status 2, 3, 4; the whole
// has a line of its own) cannot be run again: they are counted, never passed
// over in silence. A run time of 0 counts as a second.
//
// Throws InputError that names the text, the line, the field, what is wrong and
// what would be right.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {

struct SwfJob {
  std::int64_t number = 0;
  std::int64_t submit = 0;                     // seconds since the trace began
  std::int64_t runs = 1;                       // seconds
  std::optional<std::int64_t> requested = {};  // seconds
  std::int32_t processors = 1;
  std::int32_t user = -1;
  std::int32_t queue = -1;
  bool operator==(const SwfJob&) const = default;
};

struct SwfTrace {
  std::vector<SwfJob> jobs;               // as they stand there
  std::optional<std::int64_t> max_nodes;  // of the header
  std::optional<std::int64_t> max_processors;
  std::int64_t no_processors = 0;  // how many jobs have none,
  std::int64_t no_run_time = 0;
  std::int64_t cancelled = 0;  // before they ran
  std::int64_t parts = 0;

  std::int64_t Unusable() const {
    return no_processors + no_run_time + cancelled + parts;
  }
};

struct SwfLimits {
  std::size_t line = 64 << 10U;    // bytes
  std::size_t jobs = 20'000'000U;  // those that cannot be used too
};

// `source` names the text in errors. A trace without a job is an error.
SwfTrace ReadSwf(std::istream& in, const std::string& source,
                 const SwfLimits& limits = {});

// The trace as text, which ReadSwf() reads back as it was.
void WriteSwf(const SwfTrace& trace, std::ostream& out);

}  // namespace fluxnetes::cluster
