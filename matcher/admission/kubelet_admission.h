// Whether the kubelet of a node admits tasks that are on their way to it, in
// whatever order they come to it. Such a kubelet places tasks by NUMA domains
// (Kubernetes: "Control Topology Management Policies on a Node"):
//
// - What a task demands of cpus, and of GPUs, must be free in a set of domains.
//   Such a set is preferred if no smaller one of an empty node has enough.
// - A task is admitted if a preferred set of each has domains in common. The
//   fewest in common count, then those of the lowest numbers.
// - It gets its cpus and GPUs there, and what these lack elsewhere. In which of
//   several domains it gets how many is the kubelet's own matter: here, one
//   domain after the other, by number or those with the least left first.
//
//   left: 3 cpus in numa0, 4 in numa1
//   tasks of 1, 3 and 3 cpus: the last one is refused if the first comes first
//
// Constant after construction.
// Tests: tests/matcher/admission/kubelet_admission_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "matcher/admission/kubelet_demand.h"

namespace fluxnetes::matcher {

// By domain, in order of their numbers.
struct DomainAmounts {
  std::vector<std::int32_t> cpus;
  std::vector<std::int32_t> gpus;
  bool operator==(const DomainAmounts&) const = default;
};

struct DemandedTasks {
  KubeletDemand demand;
  int tasks = 0;
};

class KubeletAdmission {
 public:
  // Kubelets that place by domains know no more of them.
  static constexpr int kMostDomains = 8;
  // Each order is tried; beyond so many steps it counts as refused.
  static constexpr int kMostSteps = 2'000;

  // `all`: what the domains of the empty node have. `one_domain`: a task that
  // an empty node cannot have in one domain is refused.
  KubeletAdmission(DomainAmounts all, bool one_domain);

  // True if all tasks are admitted, whatever their order, where this is left.
  bool AdmitsAll(const DomainAmounts& left,
                 const std::vector<DemandedTasks>& tasks) const;

 private:
  using Mask = std::uint32_t;  // of domains
  struct Steps;

  int domains() const { return static_cast<int>(all_.cpus.size()); }
  // The fewest domains of an empty node that have so much; more than there are:
  // it never has.
  static int Fewest(std::vector<std::int32_t> all, std::int64_t wanted);
  std::vector<Mask> Preferred(const std::vector<std::int32_t>& all,
                              const std::vector<std::int32_t>& left,
                              std::int32_t wanted) const;
  // The domains in common; 0: the task is refused.
  Mask PlaceOf(const DomainAmounts& left, const KubeletDemand& demand) const;
  bool FitAlike(const DomainAmounts& left, const DemandedTasks& tasks) const;
  bool Try(const DomainAmounts& left, std::vector<DemandedTasks>& tasks,
           Steps& steps) const;

  const DomainAmounts all_;
  const bool one_domain_;
};

}  // namespace fluxnetes::matcher
