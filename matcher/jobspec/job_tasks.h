// The tasks of a jobspec: which slot runs them, and how many. ParseJobspec()
// checks their form only, as Fluxion does, and its result does not have them.
//
// Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

struct JobTask {
  std::string slot;       // the label of its slot
  bool per_slot = false;  // else `count` is that of all tasks
  std::int64_t count = 1;

  bool operator==(const JobTask&) const = default;
};

inline constexpr std::int64_t kMaxJobTasks = 1 << 20;

// Reads the tasks of a jobspec that ParseJobspec() accepts. Throws
// JobspecError, with the place, for a count that is neither per_slot nor total.
std::vector<JobTask> ReadJobTasks(std::string_view text);

}  // namespace fluxnetes::matcher
