// The pods of the simulated cluster in the form of the Kubernetes API, and a
// scheduler's requests on them: bind, patch, delete, record events.
//
// A patch may change only what the simulated cluster has: labels, the
// annotation that raises the version (WriteTouchPatch), scheduling gates
// (removal only) and the condition PodScheduled; other fields are ignored.
// Thread-safe.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/simulated/simulated_cluster.h"
#include "services/http/http_server.h"
#include "services/simulated_api/api_request.h"

namespace fluxnetes::services {

class ApiPods {
 public:
  explicit ApiPods(cluster::SimulatedCluster& cluster) : cluster_(cluster) {}

  // Answers all requests except lists and watches.
  HttpAnswer Answer(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer CreateEvent(const HttpQuestion& question, const ApiTarget& target);

 private:
  HttpAnswer Create(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Get(const ApiTarget& target, int code = 200);
  HttpAnswer Bind(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Patch(const HttpQuestion& question, const ApiTarget& target);
  void Change(const cluster::Pod& pod, const nlohmann::json& patch);
  // Returns false if the pod is not at the version that the patch names.
  bool SetCondition(const cluster::Pod& pod, const nlohmann::json& patch);
  HttpAnswer Delete(const HttpQuestion& question, const ApiTarget& target);

  cluster::SimulatedCluster& cluster_;
};

}  // namespace fluxnetes::services
