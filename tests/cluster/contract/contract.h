// The contract of every implementation of Cluster: the suite ClusterContract
// (contract_watch.cc and so on, by verb). A test program instantiates it with a
// factory of clusters, which also gives access to the state behind the
// interface:
//
//   INSTANTIATE_TEST_SUITE_P(Simulated, ClusterContract,
//                            ::testing::Values(ContractCase{"Virtual", Make}),
//                            NameOfCase);
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "cluster/simulated/simulated_cluster.h"

namespace fluxnetes::cluster {

class ContractWorld {
 public:
  virtual ~ContractWorld() = default;
  // The implementation under test.
  virtual Cluster& Door() = 0;
  // The cluster behind it, on which other users, kubelets and controllers act.
  // May be the implementation itself.
  virtual SimulatedCluster& Behind() = 0;
  // Lets this much of the cluster's time pass.
  virtual void Advance(std::chrono::milliseconds time) = 0;
  // Drops the connection of every watch, which loses its events in flight.
  virtual void DropConnections() = 0;
};

struct ContractCase {
  std::string name;
  std::function<std::unique_ptr<ContractWorld>()> make;
};

inline void PrintTo(const ContractCase& c, std::ostream* out) {
  *out << c.name;
}
inline std::string NameOfCase(
    const ::testing::TestParamInfo<ContractCase>& info) {
  return info.param.name;
}

// The limit for every wait.
inline constexpr std::chrono::milliseconds kDeadline{60'000};

// The UID of the event's pod; empty: the event has no pod.
std::string UidOf(const WatchEvent& event);

class ClusterContract : public ::testing::TestWithParam<ContractCase> {
 protected:
  ClusterContract() : world_(GetParam().make()) {}

  Cluster& Door() { return world_->Door(); }
  SimulatedCluster& Behind() { return world_->Behind(); }
  // The events of the watch so far, in order.
  const std::vector<WatchEvent>& Told() const { return told_; }

  void AddNodes(int count);
  PodPointer AddPod(const std::string& name, const PodRun& run = {});
  static Binding BindingOf(const Pod& pod, const std::string& node = "node0");
  BindResult Bind(const Binding& binding);
  // Touches a pod of the namespace "default".
  TouchResult Touch(const std::string& name, const std::string& uid);

  // A claim of one device, in the namespace "default".
  ResourceClaimPointer AddClaim(const std::string& name);
  ResourceClaimPointer ClaimNamed(const std::string& name) {
    return Behind().GetResourceClaim("default", name);
  }
  // A pod that uses the claims.
  PodPointer AddUser(const std::string& name, std::vector<PodClaim> claims);
  static ClaimConsumer ConsumerOf(const Pod& pod) {
    return {.name = pod.name, .uid = pod.uid};
  }
  ClaimResult Allocate(const ClaimAllocation& wish) {
    return Door().AllocateClaims({&wish, 1}).at(0);
  }
  ClaimResult Release(const ClaimRelease& wish) {
    return Door().ReleaseClaims({&wish, 1}).at(0);
  }

  // Applies the events of the watch to the cache and lets time pass until the
  // condition holds. False if it does not within kDeadline.
  bool Until(const std::function<bool()>& condition);
  bool UntilSynced() {
    return Until([this] { return cache_.Synced(); });
  }

  std::unique_ptr<ContractWorld> world_;
  std::unique_ptr<Watch> watch_;
  ClusterCache cache_;
  std::vector<WatchEvent> told_;
};

}  // namespace fluxnetes::cluster
