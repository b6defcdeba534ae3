// What a simulation begins with and what is to happen in it: nodes, queues,
// accounts and groups, those that run already and those that come. Groups,
// requests, shapes, queues, users and labels are named by their places in the
// lists of the scenario. All times are whole seconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "workers/schedule/schedule.h"

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

// Throws std::invalid_argument if the scenario names what it has not.
void Check(const Scenario& scenario);

}  // namespace fluxnetes::workers
