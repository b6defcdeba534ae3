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

#include "cluster/node.h"
#include "workers/schedule.h"

namespace fluxnetes::workers {

struct Scenario {
  // Of a pod; labels count where rules of other pods look at them.
  struct Request {
    cluster::PodRequest request;
    std::string namespace_name = "default";
    cluster::PodLabels labels = {};
  };
  // So many pods of one of `requests`.
  struct Pods {
    int request = 0;
    int count = 1;
    auto operator<=>(const Pods&) const = default;
  };
  struct Group {
    std::string name;
    std::int64_t submit = 0;               // its age counts from then
    std::optional<std::int64_t> duration;  // nothing: without end
    std::optional<std::int64_t> runs;      // nothing: until the run is over
    // It comes then, as old as it is; it is given up then without a place; it
    // is ended or given up then, with its Job.
    std::optional<std::int64_t> start_after = {};
    std::optional<std::int64_t> start_by = {};
    std::optional<std::int64_t> gone = {};
    std::int32_t priority = 0;
    bool first_in_line = false;
    bool preempts = true;     // if its queue does
    std::int64_t grace = 30;  // if it is evicted
    int shape = 0;            // of `shapes`
    int queue = 0;            // of `queues`
    int user = 0;             // of `users`: for accounts its namespace
    int label = -1;  // of `labels`: its fluxnetes.account; below 0: none
    int after = -1;  // is submitted when that group has ended, not before
    int grows = -1;  // that elastic group, beyond its minimum
  };
  // A group that has its places as the run begins.
  struct Running {
    int group = 0;
    std::int64_t start = 0;
    std::vector<std::string> nodes;  // of each pod, in order of its shape
    bool evictable = true;           // it has all its places
  };
  // What a group that waits was promised before the run begins, as in
  // Reservation: it is kept if it can be.
  struct Promised {
    int group = 0;
    std::optional<std::int64_t> start;
    std::vector<std::string> nodes;
    std::vector<int> places;
  };

  std::int64_t begin = 0;  // what was submitted before comes then
  std::vector<cluster::Node> nodes;
  std::map<std::string, cluster::Resources> others;  // use so much, by node
  std::vector<MaintenanceWindow> maintenance;
  std::vector<QueueSettings> queues;
  std::vector<Request> requests;
  std::vector<std::vector<Pods>> shapes;
  std::vector<std::string> users;
  std::vector<std::string> labels;
  std::vector<Account> accounts;
  UsedByAccounts used;  // before the run begins
  std::vector<Group> groups;
  std::vector<Running> running;
  std::vector<Promised> promised;
};

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
