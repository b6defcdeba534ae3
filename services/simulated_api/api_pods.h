// Pods of the simulated cluster as the Kubernetes API shows them, and what a
// scheduler does to them: bind, patch, delete, record events.
//
// Of a patch only that is taken which the simulated cluster has: labels, the
// annotation that raises the version (WriteTouchPatch), the removal of
// scheduling gates, and the condition PodScheduled. Thread-safe.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/simulated/simulated_cluster.h"
#include "services/http/http_server.h"
#include "services/simulated_api/api_request.h"

namespace fluxnetes::services {

class ApiPods {
 public:
  explicit ApiPods(cluster::SimulatedCluster& cluster) : cluster_(cluster) {}

  // All but lists and watches.
  HttpAnswer Answer(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer CreateEvent(const HttpQuestion& question, const ApiTarget& target);

 private:
  HttpAnswer Create(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Get(const ApiTarget& target, int code = 200);
  HttpAnswer Bind(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Patch(const HttpQuestion& question, const ApiTarget& target);
  void Change(const cluster::Pod& pod, const nlohmann::json& patch);
  // False: the pod is not at the version that the patch names.
  bool SetCondition(const cluster::Pod& pod, const nlohmann::json& patch);
  HttpAnswer Delete(const HttpQuestion& question, const ApiTarget& target);

  cluster::SimulatedCluster& cluster_;
};

}  // namespace fluxnetes::services
