// What of a trace is left out of a simulation, and what is simulated otherwise
// than it is written: how many jobs, why, and in which line the first one is.
//
// Pure.
// Tests: tests/services/simulate/simulate_trace_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/traces/swf_trace.h"

namespace fluxnetes::services {

struct TraceNote {
  std::string what;  // "the run time is not known"
  std::int64_t jobs = 0;
  std::int64_t first_line = 0;
  bool left_out = false;  // else the jobs are simulated
};

// Those with jobs only, the left-out first.
std::vector<TraceNote> NotesOf(const cluster::SwfTrace& trace);

// Returns a sentence for people.
std::string TextOf(const TraceNote& note);

}  // namespace fluxnetes::services
