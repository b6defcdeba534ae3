// A control plane in a temporary folder, and schedulers that are measured on
// it, each as a process.
//
// Used by one thread. FLUXNETES_CLUSTER_TOOLS is the folder of hack/cluster's
// programs.
#pragma once

#include <memory>
#include <string>

#include "tests/benchmarks/kubernetes/control_plane.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::benchmarks {

// A scheduler as a process; ends with this object.
struct Contestant {
  std::unique_ptr<testing::TestDatabase> database;
  std::unique_ptr<testing::Process> process;
};

class World {
 public:
  // With so many nodes of 32 cpus.
  explicit World(int nodes);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  ControlPlane& plane() { return *plane_; }

  // Its client-side limit is lifted, so that it goes as fast as it can. A pod
  // that did not fit is left alone for a second, then for longer.
  Contestant KubeScheduler(bool native_gangs = false,
                           int longest_backoff_seconds = 10);

  // With a fresh schema, or that of an earlier one.
  Contestant Fluxnetes(
      std::unique_ptr<testing::TestDatabase> database = nullptr,
      bool events = true);

 private:
  std::string folder_;
  std::unique_ptr<ControlPlane> plane_;
};

}  // namespace fluxnetes::benchmarks
