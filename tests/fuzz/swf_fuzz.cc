// A trace is either read or refused; a trace that was read is the same after
// writing and reading it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "cluster/traces/swf_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace fluxnetes::cluster;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  SwfTrace trace;
  try {
    trace = ReadSwf(in, "fuzz", {.line = 1'000, .jobs = 1'000});
  } catch (const InputError&) {
    return 0;
  }
  for (const SwfJob& job : trace.jobs) {
    if (job.submit < 0 || job.runs < 1 || job.processors < 1) std::abort();
    if (job.requested.value_or(1) < 1) std::abort();
  }
  if (trace.jobs.empty()) return 0;
  std::stringstream text;
  WriteSwf(trace, text);
  SwfTrace again = ReadSwf(text, "again");
  for (SwfTrace* each : {&trace, &again})
    for (SwfJob& job : each->jobs) job.line = 0;
  if (again.jobs != trace.jobs || again.max_nodes != trace.max_nodes)
    std::abort();
  return 0;
}
