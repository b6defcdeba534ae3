// Reads what a pod asks of pools of the whole cluster for its group: labels
// fluxnetes.pool/NAME with a whole number, "3". As with Slurm's --licenses it
// is an amount of the group as a whole, so all its pods have the same label.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

inline constexpr std::string_view kPoolLabelPrefix = "fluxnetes.pool/";
// As large as a pool may be.
inline constexpr std::int64_t kMostOfPool = 1'000'000'000'000'000;

struct PoolLabels {
  cluster::PoolAmounts pools;
  std::string refused;  // the reason; empty: they can be used
};
PoolLabels ReadPoolLabels(const cluster::Pod& pod);

}  // namespace fluxnetes::workers
