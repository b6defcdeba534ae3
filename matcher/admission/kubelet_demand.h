// What the kubelet of a node places by NUMA domains for a task: whole cpus and
// GPUs. All else of the task is wherever the node has it.
// Tests: tests/matcher/admission/kubelet_admission_test.cc.
#pragma once

#include <cstdint>

namespace fluxnetes::matcher {

struct KubeletDemand {
  std::int32_t cpus = 0;
  std::int32_t gpus = 0;
  bool Any() const { return cpus > 0 || gpus > 0; }
  bool operator==(const KubeletDemand&) const = default;
};

}  // namespace fluxnetes::matcher
