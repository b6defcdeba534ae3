// fcfs and EASY backfilling by their definition, on nodes that have only cpu:
// at each event everything is looked at again, one group after the other, with
// free amounts added up anew each time. Slow and plain, to compare with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/schedule.h"

namespace fluxnetes::workers {

// It ends by itself after `runs` seconds, within `duration` if it has one.
struct TimedGroup {
  GroupId id = 0;
  std::int64_t comes = 0;
  int priority = 0;
  int pods = 1;
  std::int64_t cpu = 1;
  std::optional<std::int64_t> duration = {};
  std::int64_t runs = 1;
};

struct Workload {
  std::vector<std::int64_t> cpus;  // of node0, node1, ...
  std::vector<TimedGroup> groups;  // numbered in order of coming
};

// What happened, a line each: "10: 3 on node0 node1", and after each event what
// is reserved then: "10: 4 at 60 on node0".
std::string RunReference(const Workload& workload, QueuePolicy policy);

// The same by a Schedule.
std::string RunSchedule(const Workload& workload, QueuePolicy policy);

// Where two of these part, for people.
std::string FirstDifference(const std::string& expected,
                            const std::string& got);

}  // namespace fluxnetes::workers
