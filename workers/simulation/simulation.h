// The decision in virtual time: nodes, queues and groups that come, run and
// end, without a database and without an API server. A Schedule is fed with
// what happens and asked at each instant at which something happened, once all
// of that instant is known, and when one of its reservations is due.
//
//   submit ──▶ waits ──▶ start ──▶ end      after `runs`: ended
//              │  ▲         │               at its deadline: timed out
//              │  └─────────┘ evicted: it starts anew, from nothing
//              ├──▶ could not fit: unsatisfiable
//              └──▶ has not started by its time: given up
//
// What is planned with is `duration`, as said by who submitted; how long it
// takes is `runs`, which nobody knows before. A group is ended when its
// duration is over, as it is on a cluster, or `overrun` seconds later. One that
// is evicted runs on until its grace period is over; if it is not done by then
// it comes again, and is as old as if it came the first time. What it ran for
// nothing is in no figure but `restarts`.
//
// A pod by which an elastic group grows is a group of one that comes when that
// one has started, and leaves with it if that one is evicted.
//
// Of groups that are equally old the one that stands before in the scenario
// goes first, as in the scheduler the one with the smaller number.
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

// What became of a group. Times are -1 where there are none.
struct GroupCourse {
  enum class State : std::uint8_t {
    kWaiting,  // to the end: behind something that does not end
    kUnsatisfiable,
    kRunning,  // to the end: it does not end by itself
    kEnded,
    kTimedOut,
    kGivenUp,  // it had no place by then
  };
  std::int64_t submit = -1;  // when it came
  std::int64_t start = -1;
  std::int64_t end = -1;
  std::int64_t promised = -1;     // the first start that was promised
  std::int64_t promised_at = -1;  // and when that was said
  int nodes = 0;                  // if they are kept
  int restarts = 0;               // how often it was evicted before it ended
  State state = State::kWaiting;
};

struct Course {
  std::vector<GroupCourse> groups;  // as those of the scenario
  // If they are kept: places in the scenario's nodes, each once, those of a
  // group after those of the groups before it.
  std::vector<int> nodes;
  std::vector<std::int64_t> node_cpu;    // what the group has there: cpu_milli
  std::vector<std::int64_t> first_node;  // of a group in `nodes`
  std::int64_t begin = 0;
  std::int64_t end = 0;  // when something last started or ended
  std::int64_t decisions = 0;
  std::size_t longest_line = 0;  // of waiting groups
  bool stopped = false;          // before it was over
};

struct SimulationProgress {
  std::size_t over = 0;  // groups that ended
  std::size_t waiting = 0;
  std::int64_t now = 0;
};

struct SimulationOptions {
  // So long after its duration a group is ended.
  std::int64_t overrun = 0;
  bool keep_nodes = false;
  // Nothing that comes later is looked at.
  std::optional<std::int64_t> until = {};
  // Called now and then; false: stop.
  std::function<bool(const SimulationProgress&)> progress = {};
};

// Throws std::invalid_argument if the scenario names what it has not.
Course Simulate(const Scenario& scenario,
                const SimulationOptions& options = {});

}  // namespace fluxnetes::workers
