// What one slot of a jobspec has, as the amounts of a pod: cores are cpus,
// memory is in MiB, and gpus are the pod's resources of that kind. A range in
// the slot is fixed by what the pod requests.
//
// Pure.
// Tests: tests/workers/jobspecs/pod_jobspec_test.cc.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/resources.h"
#include "matcher/jobspec/jobspec.h"
#include "workers/jobspecs/job_layout.h"

namespace fluxnetes::workers {

// Amounts that are nothing are not named.
struct SlotAmounts {
  std::optional<std::int64_t> cores;
  std::optional<std::int64_t> memory_mib;
  std::optional<std::int64_t> gpus;

  bool operator==(const SlotAmounts&) const = default;
};

// What a pod requests, in whole units, rounded up. GPUs are those of extended
// resources called gpu, such as nvidia.com/gpu.
SlotAmounts AmountsOf(const cluster::Resources& pod);
// "8 cores, 4096 MiB of memory, no gpus"; what is nothing is left out.
std::string InWords(const SlotAmounts& amounts);

// One slot of a layout whose counts are fixed for a pod.
class FixedSlot {
 public:
  // Fixes the range of the slot, if it has one, so that the slot has what the
  // pod requests. Without a pod there must be no range. Throws JobspecError
  // with both figures where the pod requests something else.
  FixedSlot(const matcher::Jobspec& jobspec, const JobLayout& layout, int slot,
            const std::optional<SlotAmounts>& pod);

  const SlotAmounts& amounts() const { return amounts_; }
  // The slot as JSON of one resource, without a node in it; empty: its amounts
  // say all of it.
  std::string Json() const;

 private:
  void FixRange(const SlotAmounts& pod);
  void Compare(const SlotAmounts& pod) const;
  std::int64_t Total(const char* type, int first, int last) const;
  SlotAmounts Count() const;
  nlohmann::ordered_json ListOf(int first, int last) const;

  const matcher::Jobspec& jobspec_;
  const JobLayout& layout_;
  const int slot_;
  std::vector<int> in_slot_;
  int ranged_ = -1;  // the resource with a range
  std::optional<std::uint32_t> fixed_;
  SlotAmounts amounts_;
};

// What a pod has below its node, as JSON of a list of resources: these slots,
// of which it gets one, in what stands between node and slot.
std::string BelowNode(const matcher::Jobspec& jobspec, const JobLayout& layout,
                      const std::vector<std::string>& slots);

// "4, 8, 12 ... 32": the counts that it allows, each times the factor.
std::string AllowedIn(const matcher::Count& count, std::int64_t factor);

}  // namespace fluxnetes::workers
