// The control interface of the simulated cluster, which no Kubernetes has: its
// true state, its time, and injected faults. For tests and for people, under
// /simulation/.
//
//   GET  truth   {"now", "resourceVersion", "pods", "nodes", "jobs",
//                 "bindings": [{"time", "uid", "node"}, ...]};
//                 ?bindingsFrom=N leaves out the bindings before the Nth
//   GET  time    {"now", "next"}
//   POST time    {"now": "2026-01-01T00:00:10Z"}: moves virtual time to then
//   POST faults  any of
//     "requests": [{"status": 429, "count": 3, "method": "POST",
//                   "path": "/binding", "retryAfter": 1}]
//     "bindings": {"fault": "refused" | "conflict" | "unreachable" |
//                  "answerLost", "count": 1, "after": 0}
//     "watches":  {"delayMillis", "repeat", "late", "drop"}  (chances, 0 to 1)
//     "closeWatches": true    ends all watches
//     "dropWatches": true     also forgets the events they have not seen
//     "reachable": false      answers every request with 503, until true
//     "clear": true           removes the faults of requests and watches
//   POST pods    {"namespace", "name", "exitCode"}: ends a running pod
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>

#include "cluster/simulated/simulated_cluster.h"
#include "services/http/http_server.h"
#include "services/simulated_api/api_faults.h"
#include "services/simulated_api/api_lists.h"

namespace fluxnetes::services {

class ApiSimulation {
 public:
  ApiSimulation(cluster::SimulatedCluster& cluster, ApiLists& lists,
                ApiFaults& faults, bool virtual_time)
      : cluster_(cluster),
        lists_(lists),
        faults_(faults),
        virtual_time_(virtual_time) {}

  // False while the fault "reachable": false is set.
  bool Reachable() const { return reachable_; }

  // `what` is the path after /simulation/.
  HttpAnswer Answer(const HttpQuestion& question, const std::string& what);

 private:
  HttpAnswer Truth(const HttpQuestion& question);
  HttpAnswer Time();
  HttpAnswer SetTime(const nlohmann::json& body);
  HttpAnswer SetFaults(const nlohmann::json& body);
  HttpAnswer EndPod(const nlohmann::json& body);

  cluster::SimulatedCluster& cluster_;
  ApiLists& lists_;
  ApiFaults& faults_;
  const bool virtual_time_;
  std::atomic<bool> reachable_ = true;
};

}  // namespace fluxnetes::services
