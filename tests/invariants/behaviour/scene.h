// What the checker of invariants looks at: a cluster, a database, and the
// schedulers that share them.
//
// One thread.
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

  // The cluster's own truth.
  virtual cluster::SimulatedCluster::Snapshot Truth() = 0;
  // Since the `from`th, in order; none if the cluster does not record them.
  virtual std::vector<cluster::SimulatedCluster::BindingRecord> Bindings(
      std::size_t from) = 0;
  virtual sql::Pool& database() = 0;
  // Whether somebody else gave a pod of ours its node.
  virtual bool GivenByOthers(const std::string& uid) = 0;
  // Those that are awake and can be looked into: none if they are processes of
  // their own.
  virtual std::vector<SchedulerProcess*> Processes() = 0;
};

}  // namespace fluxnetes::testing
