// The Kubernetes API in front of a simulated cluster: as much of it as a
// scheduler, a Job's owner and a test use, with its paths, status codes and
// words; and /simulation/ beside it (api_simulation.h).
//
//   GET            /healthz /livez /readyz /version
//   GET (watch)    /api/v1/pods /api/v1/nodes /api/v1/namespaces/NS/pods
//   POST           /api/v1/nodes  .../NS/pods  .../NS/events
//   POST           .../NS/pods/NAME/binding
//   GET PATCH DEL  /api/v1/nodes/NAME  .../NS/pods/NAME (and PATCH .../status)
//   the same       /apis/batch/v1/namespaces/NS/jobs, and GET for all, unpaged
//   GET POST DEL   replicasets and other kinds that own pods
//
// `fluxnetes serve` puts it in front of its own simulated cluster, so that
// `fluxnetes submit` can reach that; as `fluxnetes simulated-cluster` it is a
// process of its own, which outlives the scheduler.
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
  int events_kept = 200'000;  // for watches that come back, of each kind
  std::chrono::milliseconds bookmark_interval{10'000};
};

class ClusterApi {
 public:
  // The cluster outlives the API.
  ClusterApi(cluster::SimulatedCluster& cluster,
             const ClusterApiOptions& options);
  ~ClusterApi();

  // Throws std::runtime_error if it cannot listen, or has been started before.
  void Start();
  // Ends all requests and watches. Twice is fine.
  void Stop();
  // For a client (HttpOptions); after Start.
  const std::string& address() const;

 private:
  class Routes;
  std::unique_ptr<Routes> routes_;
};

struct ClusterProcessOptions {
  ClusterApiOptions api;
  cluster::SimulatedClusterOptions cluster;
  std::vector<cluster::Node> nodes;
  // Called when the API answers, with its address.
  std::function<void(const std::string&)> ready;
};

// A simulated cluster with its API, until SIGTERM or SIGINT. Throws as Start
// does. For a process that has no other threads yet.
void RunClusterApi(const ClusterProcessOptions& options);

}  // namespace fluxnetes::services
