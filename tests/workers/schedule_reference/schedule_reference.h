// The queue policies by their definition (schedule.h), on nodes that have only
// cpu, and labels for levels of the topology (plain_levels.h): at each event
// every group is considered again, one after the other, with sorted lists of
// free amounts over time. Slow and plain, for comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

// A group that ends by itself after `runs` seconds, within `duration` if it has
// one.
struct TimedGroup {
  GroupId id = 0;
  std::int64_t comes = 0;
  int priority = 0;
  int pods = 1;
  std::int64_t cpu = 1;
  std::optional<std::int64_t> duration = {};
  std::int64_t runs = 1;
  cluster::GroupTopology topology = {};
};

struct Workload {
  std::vector<std::int64_t> cpus;              // of node0, node1, ...
  std::vector<TimedGroup> groups;              // numbered in order of arrival
  std::vector<cluster::LabelMap> labels = {};  // of nodes; empty: none has any
};

// Whether the group would fit if nothing else ran.
bool FitsEmptyNodes(const Workload& workload, const TimedGroup& group);

struct PolicyUnderTest {
  QueuePolicy policy = QueuePolicy::kEasy;
  int depth = 1'000;  // for conservative and hybrid
  // NOLINTNEXTLINE(google-explicit-constructor): most have one depth
  PolicyUnderTest(QueuePolicy which, int reservations = 1'000)
      : policy(which), depth(reservations) {}
};

// The events, one per line: "10: 3 on node0 node1", and after each event the
// reservations: "10: 4 at 60 on node0".
std::string RunReference(const Workload& workload,
                         const PolicyUnderTest& policy);

// The same, decided by a Schedule.
std::string RunSchedule(const Workload& workload,
                        const PolicyUnderTest& policy);

// Where two such logs differ, for people.
std::string FirstDifference(const std::string& expected,
                            const std::string& got);

}  // namespace fluxnetes::workers
