// Reads and writes traces of batch jobs in the Standard Workload Format,
// version 2.2 (D. Feitelson,
// https://www.cs.huji.ac.il/labs/parallel/workload/swf.html): one job per line
// (swf_line.h), -1 for unknown; lines that begin with ";" are comments, some of
// them headers (swf_header.h), wherever they are. Byte order marks and empty
// lines are skipped.
//
// The fields of a job that are used:
//
//    1 number      2 submit time     4 run time      5 processors allocated
//    8 processors requested, if 5 is unknown         9 time requested
//   11 status      12 user           15 queue
//
// A job cannot be replayed without a submit time, processors or a run time, or
// if it was cancelled before it ran. A job that was swapped out may have lines
// for its parts (status 2, and 3 or 4 for the last one; all but the first are
// without a submit time). They are left out if a line for the whole job is
// above them, and are put together otherwise. What is left out and what is read
// otherwise than it is written is counted, never done silently.
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
  std::int64_t line = 0;  // where it is in the text; 0: nowhere
  bool operator==(const SwfJob&) const = default;
};

// Jobs, or lines of parts, that share a peculiarity.
struct SwfCount {
  std::int64_t jobs = 0;
  std::int64_t first_line = 0;
  void Add(std::int64_t line) {
    if (jobs++ == 0 || line < first_line) first_line = line;
  }
};

struct SwfTrace {
  std::vector<SwfJob> jobs;               // in the order of the file
  std::optional<std::int64_t> max_nodes;  // from the header
  std::optional<std::int64_t> max_processors;
  std::vector<std::string> faulty_headers;   // they say no number
  std::vector<std::string> unclear_headers;  // they could mean several numbers

  // Left out.
  SwfCount no_submit_time;
  SwfCount no_processors;
  SwfCount no_run_time;
  SwfCount cancelled;  // before they ran
  SwfCount parts;      // of jobs that have a line for the whole

  // Read otherwise than written.
  SwfCount rounded;      // times were rounded to whole seconds
  SwfCount short_runs;   // a run time of 0, which counts as a second
  SwfCount joined;       // jobs that were put together from their parts
  SwfCount disordered;   // submitted before the job above
  SwfCount same_number;  // as an earlier job
  SwfCount dependent;    // on a preceding job
  SwfCount elsewhere;    // in another partition than the first job that has one
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
