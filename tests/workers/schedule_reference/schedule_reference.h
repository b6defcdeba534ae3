// The queue policies by their definition (schedule.h), on nodes that have only
// cpu: at each event every group is looked at again, one after the other, by
// sorted lists of what is free when. Slow and plain, to compare with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/schedule/schedule.h"

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

struct PolicyUnderTest {
  QueuePolicy policy = QueuePolicy::kEasy;
  int depth = 1'000;  // of conservative and hybrid
  // NOLINTNEXTLINE(google-explicit-constructor): most have one depth
  PolicyUnderTest(QueuePolicy which, int reservations = 1'000)
      : policy(which), depth(reservations) {}
};

// What happened, a line each: "10: 3 on node0 node1", and after each event what
// is reserved then: "10: 4 at 60 on node0".
std::string RunReference(const Workload& workload,
                         const PolicyUnderTest& policy);

// The same by a Schedule.
std::string RunSchedule(const Workload& workload,
                        const PolicyUnderTest& policy);

// Where two of these part, for people.
std::string FirstDifference(const std::string& expected,
                            const std::string& got);

}  // namespace fluxnetes::workers
