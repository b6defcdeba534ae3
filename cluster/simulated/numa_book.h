// What a kubelet with a topology manager has given away of its node's NUMA
// domains, and which pods it refuses. (Kubernetes: "Control Topology Management
// Policies on a Node", with the CPU manager's policy static and the scope pod.)
//
// Whole cpus count in pods of the class Guaranteed that ask for no part of a
// cpu, and GPUs in all; memory does not. Each of the two may be in any set of
// domains that has enough left. Such a set is preferred if no smaller one could
// ever have enough. A pod is admitted if preferred sets of both meet; under
// single-numa-node they have one domain. Of these the smallest is taken, then
// that of the lowest numbers.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/objects/node.h"
#include "cluster/objects/pod_request.h"

namespace fluxnetes::cluster {

// Kubelets know no more.
inline constexpr int kMostNumaDomains = 8;

class NumaBook {
 public:
  // The node has a structure, of at most kMostNumaDomains. One without domains
  // is one domain.
  explicit NumaBook(const Node& node);

  bool Admits(const PodRequest& request, TopologyPolicy policy) const;
  // Gives the pod of this number what it asks for, wherever it is.
  void Take(std::uint32_t pod, const PodRequest& request,
            TopologyPolicy policy);
  void Release(std::uint32_t pod);

  // What a NodeResourceTopology of the node would say; none if the structure
  // has no domains.
  std::vector<NumaZone> Zones() const;

  // The cpus and GPUs that are left, by domain.
  const std::vector<std::int64_t>& cpus() const { return cpus_.left; }
  const std::vector<std::int64_t>& gpus() const { return gpus_.left; }

 private:
  using Mask = std::uint32_t;  // of domains
  struct Amounts {
    std::vector<std::int64_t> all;   // by domain
    std::vector<std::int64_t> left;  // by domain
  };
  struct Hint {
    Mask domains = 0;
    bool preferred = false;
  };
  struct Given {
    std::vector<std::int64_t> cpus;  // by domain
    std::vector<std::int64_t> gpus;
  };
  struct Wanted {
    std::int64_t cpus = 0;
    std::int64_t gpus = 0;
  };

  static Wanted WantedBy(const PodRequest& request);
  std::vector<Hint> HintsOf(const Amounts& amounts, std::int64_t wanted) const;
  Hint BestFor(const Wanted& wanted, TopologyPolicy policy) const;
  static std::vector<std::int64_t> TakeFrom(Amounts& amounts,
                                            std::int64_t wanted, Mask first);

  Amounts cpus_;
  Amounts gpus_;
  std::vector<int> numbers_;  // of the domains; none: the node is one
  std::string gpu_name_;      // of the node's resource; empty: none
  std::unordered_map<std::uint32_t, Given> given_;
};

}  // namespace fluxnetes::cluster
