// A control plane in a temporary folder, and the schedulers to be measured on
// it, each as a process.
//
// Used by one thread. FLUXNETES_CLUSTER_TOOLS is the folder of the programs of
// hack/cluster.
#pragma once

#include <memory>
#include <string>

#include "tests/benchmarks/kubernetes/control_plane.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::benchmarks {

// A scheduler process; ends with this object.
struct Contestant {
  std::unique_ptr<testing::TestDatabase> database;
  std::unique_ptr<testing::Process> process;
};

class World {
 public:
  // Starts the control plane with nodes of 32 CPUs. The schedulers speak
  // Protobuf to it, or JSON.
  explicit World(int nodes, bool protobuf = true);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  ControlPlane& plane() { return *plane_; }
  bool protobuf() const { return protobuf_; }

  // Runs without a client-side rate limit, as fast as it can. It retries a pod
  // that did not fit after a second, then after longer waits.
  Contestant KubeScheduler(bool native_gangs = false,
                           int longest_backoff_seconds = 10);

  // Uses a fresh schema, or that of an earlier run.
  Contestant Fluxnetes(
      std::unique_ptr<testing::TestDatabase> database = nullptr,
      bool events = true);

 private:
  const bool protobuf_;
  std::string folder_;
  std::unique_ptr<ControlPlane> plane_;
};

}  // namespace fluxnetes::benchmarks
