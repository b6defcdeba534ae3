// The nodes of the simulated cluster in the form of the Kubernetes API: create,
// cordon, taint, set ready or not (PATCH .../status) and delete them.
// Thread-safe.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include "cluster/simulated/simulated_cluster.h"
#include "services/http/http_server.h"
#include "services/simulated_api/api_request.h"

namespace fluxnetes::services {

class ApiNodes {
 public:
  explicit ApiNodes(cluster::SimulatedCluster& cluster) : cluster_(cluster) {}

  // Answers all requests except lists and watches.
  HttpAnswer Answer(const HttpQuestion& question, const ApiTarget& target);

 private:
  HttpAnswer Create(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Get(const ApiTarget& target);
  HttpAnswer Patch(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Delete(const HttpQuestion& question, const ApiTarget& target);

  cluster::SimulatedCluster& cluster_;
};

}  // namespace fluxnetes::services
