// The input of a simulation: nodes, queues, accounts and groups, those that run
// at the beginning and those that come later. Groups, requests, shapes, queues,
// users and labels are named by their indices in the lists of the scenario. All
// times are whole seconds.
// Tests: tests/workers/simulation/simulation_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "workers/decision/device_news.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

struct Scenario {
  // The request of a pod; labels count if rules of other pods look at them.
  struct Request {
    cluster::PodRequest request;
    std::string namespace_name = "default";
    cluster::PodLabels labels = {};
  };
  // A number of pods with the same request, an index of `requests`.
  struct Pods {
    int request = 0;
    int count = 1;
    auto operator<=>(const Pods&) const = default;
  };
  struct Group {
    std::string name;
    std::int64_t submit = 0;               // its age counts from here
    std::optional<std::int64_t> duration;  // nothing: without end
    std::optional<std::int64_t> runs;      // nothing: to the end of the run
    // The group comes at start_after, with its age from `submit`. It is given
    // up at start_by if it is not placed. It is ended or given up at `gone`,
    // with its Job.
    std::optional<std::int64_t> start_after = {};
    std::optional<std::int64_t> start_by = {};
    std::optional<std::int64_t> gone = {};
    std::int32_t priority = 0;
    bool first_in_line = false;
    bool preempts = true;     // if its queue does
    std::int64_t grace = 30;  // if it is evicted
    int shape = 0;            // index of `shapes`
    int queue = 0;            // index of `queues`
    int user = 0;             // index of `users`; as its namespace for accounts
    int label = -1;  // index of `labels`, its fluxnetes.account; below 0: none
    int after = -1;  // the group after whose end it is submitted; below 0: none
    int grows = -1;  // the elastic group that it grows; below 0: none
  };
  // A group that holds nodes when the run begins.
  struct Running {
    int group = 0;
    std::int64_t start = 0;
    std::vector<std::string> nodes;  // by pod, in order of its shape
    bool evictable = true;           // it has all its places
    // What each pod has inside of its node; empty if none has anything.
    std::vector<std::string> parts = {};
  };
  // The reservation of a waiting group before the run begins, as in
  // Reservation: it is kept if it can be.
  struct Promised {
    int group = 0;
    std::optional<std::int64_t> start;
    std::vector<std::string> nodes;
    std::vector<int> places;
    std::vector<std::string> parts = {};
  };

  std::int64_t begin = 0;  // groups submitted before come at this time
  std::vector<cluster::Node> nodes;
  DeviceNews devices = {};
  // What others use of a node, and the number of those of their pods because of
  // which no group can have it for itself.
  struct Others {
    cluster::Resources used;
    int occupants = 0;
  };
  std::map<std::string, Others> others;  // by node
  std::vector<MaintenanceWindow> maintenance;
  std::vector<Pool> pools;
  std::vector<PoolHold> pools_elsewhere;  // by groups that are not here
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

// Throws std::invalid_argument if an index is out of range.
void Check(const Scenario& scenario);

}  // namespace fluxnetes::workers
