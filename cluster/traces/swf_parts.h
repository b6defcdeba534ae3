// Puts jobs of a trace together that were swapped out and have a line for each
// of their parts, but none for the whole: the run time is the sum of theirs,
// the rest is as the first part says, the processors as the widest does.
//
// Owned by one thread.
// Tests: tests/cluster/traces/swf_trace_test.cc.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cluster/traces/swf_line.h"

namespace fluxnetes::cluster {

class SwfParts {
 public:
  // A whole job and its place.
  struct Joined {
    SwfLine job;
    std::int64_t line = 0;   // of the first part
    std::int64_t parts = 0;  // number of them
  };

  void Add(const SwfLine& part, std::int64_t line);

  // In the order of their first parts.
  const std::vector<Joined>& joined() const { return joined_; }

 private:
  std::vector<Joined> joined_;
  // The index of each job whose last part has not come, by number.
  std::unordered_map<std::int64_t, std::size_t> open_;
};

}  // namespace fluxnetes::cluster
