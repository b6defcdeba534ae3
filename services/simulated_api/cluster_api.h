// The Kubernetes API of a simulated cluster: the part that a scheduler, a Job's
// owner and a test use, with Kubernetes' paths, status codes and wording; and
// /simulation/ beside it (api_simulation.h).
//
//   GET            /healthz /livez /readyz /version
//   GET (watch)    /api/v1/pods /api/v1/nodes /api/v1/namespaces/NS/pods
//   POST           /api/v1/nodes  .../NS/pods  .../NS/events
//   POST           .../NS/pods/NAME/binding
//   GET PATCH DEL  /api/v1/nodes/NAME  .../NS/pods/NAME (and PATCH .../status)
//   the same       /apis/batch/v1/namespaces/NS/jobs, and GET for all, unpaged
//   GET POST DEL   replicasets and other kinds that own pods
//
// `fluxnetes serve` runs it for its own simulated cluster, so that `fluxnetes
// submit` can reach that; `fluxnetes simulated-cluster` is a separate process,
// which outlives the scheduler.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"

namespace fluxnetes::services {

struct ClusterApiOptions {
  // "unix:PATH" or a loopback "127.0.0.1:PORT" (listening_socket.h).
  std::string address;
  // Whether /simulation/time may move the cluster's time.
  bool virtual_time = false;
  int events_kept = 200'000;  // kept for resumed watches, of each kind
  std::chrono::milliseconds bookmark_interval{10'000};
};

class ClusterApi {
 public:
  // The cluster must outlive the API.
  ClusterApi(cluster::SimulatedCluster& cluster,
             const ClusterApiOptions& options);
  ~ClusterApi();

  // Throws std::runtime_error if it cannot listen or was started before.
  void Start();
  // Ends all requests and watches. Stopping twice is fine.
  void Stop();
  // The address for a client (HttpOptions); valid after Start().
  const std::string& address() const;

 private:
  class Routes;
  std::unique_ptr<Routes> routes_;
};

struct ClusterProcessOptions {
  ClusterApiOptions api;
  cluster::SimulatedClusterOptions cluster;
  std::vector<cluster::Node> nodes;
  // Called with the address once the API answers.
  std::function<void(const std::string&)> ready;
};

// Runs a simulated cluster with its API until SIGTERM or SIGINT. Throws as
// Start() does. Call it before the process has other threads.
void RunClusterApi(const ClusterProcessOptions& options);

}  // namespace fluxnetes::services
