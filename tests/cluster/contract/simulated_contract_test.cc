#include <gtest/gtest.h>

#include <memory>

#include "tests/cluster/contract/contract.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::milliseconds;

class SimulatedWorld final : public ContractWorld {
 public:
  explicit SimulatedWorld(const WatchFaults& faults) {
    cluster_.SetWatchFaults(faults);
  }
  Cluster& Door() override { return cluster_; }
  SimulatedCluster& Behind() override { return cluster_; }
  void Advance(milliseconds time) override {
    cluster_.AdvanceTo(cluster_.Now() + time);
  }
  void DropConnections() override { cluster_.DropWatches(); }

 private:
  SimulatedCluster cluster_;
};

ContractCase With(const std::string& name, const WatchFaults& faults) {
  return {name, [faults] { return std::make_unique<SimulatedWorld>(faults); }};
}

INSTANTIATE_TEST_SUITE_P(Simulated, ClusterContract,
                         ::testing::Values(With("Virtual", {}),
                                           With("Delayed",
                                                {.delay = milliseconds(40)})),
                         NameOfCase);

}  // namespace
}  // namespace fluxnetes::cluster
