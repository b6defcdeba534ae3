// The kubelets of those simulated nodes that place pods by NUMA domains
// (numa_book.h). Each admits a pod as soon as it is placed, gives it domains by
// its own rule, which need not be those that were planned, and says what it has
// left, as a NodeResourceTopology would.
//
// Owned by one thread.
// Tests: tests/workers/simulation/simulation_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/simulated/numa_book.h"
#include "workers/schedule/schedule.h"
#include "workers/simulation/scenario.h"

namespace fluxnetes::workers {

class KubeletsOfNodes {
 public:
  // None where groups run from the beginning: it is not known what they were
  // given.
  explicit KubeletsOfNodes(const Scenario& scenario);

  bool Any() const { return !kubelets_.empty(); }
  void Start(GroupId group, const std::vector<PlacedMember>& members);
  void End(GroupId group);
  // Tells the schedule what kubelets have left, if that has changed since.
  // Returns whether it has.
  bool Tell(Schedule& schedule);

 private:
  struct Kubelet {
    cluster::Node node;
    cluster::NumaBook book;
    std::map<std::uint32_t, std::string> pods;  // UIDs, in order of admission
  };
  struct Place {
    Kubelet* kubelet = nullptr;
    std::uint32_t pod = 0;
  };

  std::map<std::string, Kubelet> kubelets_;
  std::unordered_map<GroupId, std::vector<Place>> places_;
  std::set<std::string> changed_;  // names of nodes
  std::uint32_t last_ = 0;
};

}  // namespace fluxnetes::workers
