// The system under an invariant checker: a cluster, a database, and the
// schedulers that share them.
//
// Used by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"
#include "sql/connection/pool.h"

namespace fluxnetes::testing {

struct SchedulerProcess;

class Scene {
 public:
  virtual ~Scene() = default;

  // The cluster's own state.
  virtual cluster::SimulatedCluster::Snapshot Truth() = 0;
  // The cluster's claims of devices.
  virtual std::vector<cluster::ResourceClaimPointer> DeviceClaims() = 0;
  // The bindings from the `from`th on, in order; none if they are not recorded.
  virtual std::vector<cluster::SimulatedCluster::BindingRecord> Bindings(
      std::size_t from) = 0;
  virtual sql::Pool& database() = 0;
  // Whether someone else bound this pod of ours.
  virtual bool GivenByOthers(const std::string& uid) = 0;
  // The schedulers that are awake and in this process; none if they are
  // processes of their own.
  virtual std::vector<SchedulerProcess*> Processes() = 0;
};

}  // namespace fluxnetes::testing
