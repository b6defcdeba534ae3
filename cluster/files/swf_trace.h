// Reads and writes traces of batch jobs in the Standard Workload Format,
// version 2.2 (D. Feitelson,
// https://www.cs.huji.ac.il/labs/parallel/workload/swf.html): one job per line,
// 18 numbers between blanks, -1 for unknown; lines that begin with ";" are
// comments, those of the form "; MaxNodes: 128" are headers.
//
// The fields of a job that are used:
//
//    1 number      2 submit time     4 run time      5 processors allocated
//    8 processors requested, if 5 is unknown         9 time requested
//   11 status      12 user           15 queue
//
// A job cannot be replayed if it has no processors or no run time, if it was
// cancelled before it ran, or if it is a part of a job that was swapped out
// (status 2, 3, 4; the whole job has a line of its own). Such jobs are counted,
// never skipped silently. A run time of 0 counts as a second.
//
// Throws InputError that names the text, the line, the field, the fault and the
// value expected.
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
  std::vector<SwfJob> jobs;               // in the order of the file
  std::optional<std::int64_t> max_nodes;  // from the header
  std::optional<std::int64_t> max_processors;
  std::int64_t no_processors = 0;  // number of jobs without processors
  std::int64_t no_run_time = 0;
  std::int64_t cancelled = 0;  // before they ran
  std::int64_t parts = 0;

  std::int64_t Unusable() const {
    return no_processors + no_run_time + cancelled + parts;
  }
};

struct SwfLimits {
  std::size_t line = 64 << 10U;    // bytes
  std::size_t jobs = 20'000'000U;  // including unusable jobs
};

// `source` names the text in errors. A trace without a job is an error.
SwfTrace ReadSwf(std::istream& in, const std::string& source,
                 const SwfLimits& limits = {});

// Writes the trace as text that ReadSwf() reads back unchanged.
void WriteSwf(const SwfTrace& trace, std::ostream& out);

}  // namespace fluxnetes::cluster
