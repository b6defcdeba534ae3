// Claims of devices, their templates, devices and classes in the form of the
// Kubernetes API (resource.k8s.io/v1): created, read, deleted; claims patched.
// Of patches it knows what the scheduler and the controllers of Kubernetes
// send: finalizers, and in the status the allocation and the consumers.
//
// Thread-safe.
// Tests: tests/services/simulated_api/api_devices_test.cc.
#pragma once

#include "cluster/simulated/simulated_cluster.h"
#include "services/api_kinds/served_kinds.h"
#include "services/http/http_server.h"
#include "services/simulated_api/api_request.h"

namespace fluxnetes::services {

class ApiDevices {
 public:
  explicit ApiDevices(cluster::SimulatedCluster& cluster) : cluster_(cluster) {}

  HttpAnswer Answer(const HttpQuestion& question, const ApiTarget& target,
                    const ServedKind& kind);

 private:
  HttpAnswer Create(const HttpQuestion& question, const ApiTarget& target,
                    const ServedKind& kind);
  HttpAnswer Get(const ApiTarget& target, const ServedKind& kind,
                 int code = 200);
  HttpAnswer Patch(const HttpQuestion& question, const ApiTarget& target);
  HttpAnswer Delete(const ApiTarget& target, const ServedKind& kind);
  // Monostate: it does not exist.
  ServedObject Find(const ApiTarget& target, const ServedKind& kind) const;

  cluster::SimulatedCluster& cluster_;
};

}  // namespace fluxnetes::services
