// The scheduler in virtual time: nodes, queues and groups that come, run and
// end, without a database and without an API server. A Schedule receives the
// events of each instant and decides once all of them are known, and also when
// one of its reservations is due.
//
//   submit ──▶ waits ──▶ start ──▶ end      after `runs`: ended
//              │  ▲         │               at its deadline: timed out
//              │  └─────────┘ evicted: it starts anew, from nothing
//              ├──▶ could not fit: unsatisfiable
//              └──▶ has not started by its time: given up
//
// Plans use `duration`, the submitter's request; the run time is `runs`, which
// the scheduler does not know. A group is ended when its duration is over, as
// on a cluster, or `overrun` seconds later. An evicted group runs until its
// grace period is over; unless it has ended by then, it is submitted again,
// with a new age. The time lost appears in no figure but `restarts`.
//
// A pod by which an elastic group grows is a group of one. It comes when the
// elastic group has started, and leaves when that is evicted.
//
// Among groups of equal age the one with the smaller index goes first, as the
// scheduler prefers the smaller id.
//
// All times are whole seconds. The same scenario gives the same course. Owned
// by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workers/simulation/scenario.h"

namespace fluxnetes::workers {

// What happened to a group. Times are -1 if there are none.
struct GroupCourse {
  enum class State : std::uint8_t {
    kWaiting,  // to the end, behind a group that does not end
    kUnsatisfiable,
    kRunning,  // to the end, as it does not end by itself
    kEnded,
    kTimedOut,
    kGivenUp,  // it was not placed in time
  };
  std::int64_t submit = -1;  // when it came
  std::int64_t start = -1;
  std::int64_t end = -1;
  std::int64_t promised = -1;     // the first reserved start
  std::int64_t promised_at = -1;  // when it was reserved
  int nodes = 0;                  // 0 unless nodes are kept
  int restarts = 0;               // evictions before it ended
  State state = State::kWaiting;
};

struct Course {
  std::vector<GroupCourse> groups;  // by group, as in the scenario
  // If nodes are kept: indices of the scenario's nodes, each once per group,
  // group by group in the order of their starts.
  std::vector<int> nodes;
  // What the group has on that node: for each of `nodes`, the amounts of each
  // of `resources`, which are those that groups ask for, without pods.
  std::vector<std::int64_t> node_amounts;
  std::vector<std::string> resources;
  std::vector<std::int64_t> first_node;  // by group: its first index in `nodes`
  std::int64_t begin = 0;
  std::int64_t end = 0;  // when the last group started or ended
  std::int64_t decisions = 0;
  std::size_t longest_line = 0;  // waiting groups at most
  bool stopped = false;          // before it was complete
};

struct SimulationProgress {
  std::size_t over = 0;  // groups that have ended
  std::size_t waiting = 0;
  std::int64_t now = 0;
};

struct SimulationOptions {
  // Seconds between the end of a group's duration and its forced end.
  std::int64_t overrun = 0;
  bool keep_nodes = false;
  // The run stops before the first event after this time.
  std::optional<std::int64_t> until = {};
  // Called now and then; a result of false stops the run.
  std::function<bool(const SimulationProgress&)> progress = {};
  // Called with each decision, in which group N of the scenario has the id
  // N + 1. A result of false stops the run.
  std::function<bool(const Decision&)> decided = {};
};

// Throws std::invalid_argument if an index of the scenario is out of range.
Course Simulate(const Scenario& scenario,
                const SimulationOptions& options = {});

}  // namespace fluxnetes::workers
