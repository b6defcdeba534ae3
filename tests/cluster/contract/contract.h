// What every cluster behind the door must do, whatever it is: the suite
// ClusterContract (contract_watch.cc and so on, by verb). A test program
// instantiates it with what makes a cluster and the hands that change it from
// outside:
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
  // The door under test.
  virtual Cluster& Door() = 0;
  // The cluster behind it: where other users, kubelets and controllers act. It
  // may be the door itself.
  virtual SimulatedCluster& Behind() = 0;
  // Lets so much of the cluster's time pass.
  virtual void Advance(std::chrono::milliseconds time) = 0;
  // Every watch loses its connection and misses what is under way.
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

// How long what is asked may take.
inline constexpr std::chrono::milliseconds kDeadline{60'000};

// Of the pod that the event is about; empty: it is about none.
std::string UidOf(const WatchEvent& event);

class ClusterContract : public ::testing::TestWithParam<ContractCase> {
 protected:
  ClusterContract() : world_(GetParam().make()) {}

  Cluster& Door() { return world_->Door(); }
  SimulatedCluster& Behind() { return world_->Behind(); }
  // What the watch has told so far, in order.
  const std::vector<WatchEvent>& Told() const { return told_; }

  void AddNodes(int count);
  PodPointer AddPod(const std::string& name, const PodRun& run = {});
  static Binding BindingOf(const Pod& pod, const std::string& node = "node0");
  BindResult Bind(const Binding& binding);
  // Of the namespace "default".
  TouchResult Touch(const std::string& name, const std::string& uid);

  // Watches, applies what comes to the cache, and lets time pass until the
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
