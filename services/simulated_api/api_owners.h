// The controllers of pods: Kubernetes Jobs, which the simulated cluster runs,
// and objects of other kinds, which only own pods (ReplicaSet, JobSet, ...).
// Thread-safe.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include "cluster/kubernetes/api_path.h"
#include "cluster/simulated/simulated_cluster.h"
#include "services/http/http_server.h"
#include "services/simulated_api/api_request.h"

namespace fluxnetes::services {

class ApiOwners {
 public:
  explicit ApiOwners(cluster::SimulatedCluster& cluster) : cluster_(cluster) {}

  HttpAnswer Answer(const HttpQuestion& question, const ApiTarget& target,
                    const cluster::ApiResource& resource);

 private:
  HttpAnswer CreateJob(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer CreateOwner(const HttpQuestion& question, const ApiTarget& target,
                         const cluster::ApiResource& resource);
  HttpAnswer GetJob(const ApiTarget& target);
  HttpAnswer GetOwner(const ApiTarget& target,
                      const cluster::ApiResource& resource);
  HttpAnswer PatchJob(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Delete(const HttpQuestion& question, const ApiTarget& target,
                    const cluster::ApiResource& resource);

  cluster::SimulatedCluster& cluster_;
};

}  // namespace fluxnetes::services
