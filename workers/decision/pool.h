// A pool of the whole cluster: an amount that belongs to no node, such as
// licences, bandwidth or a burst buffer. A group takes its part as a whole, by
// the label fluxnetes.pool/NAME of its pods, and holds it from its placement
// until its end. All queues share the pools.
// Tests: tests/workers/schedule/schedule_pools_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"
#include "matcher/units.h"

namespace fluxnetes::workers {

struct Pool {
  std::string name;
  std::int64_t total = 0;  // may be below what is held
  bool operator==(const Pool&) const = default;
};

// What a group of another component holds of pools, or what is kept for the
// first group of all that has a pool reserved.
struct PoolHold {
  std::int64_t group = 0;
  matcher::Time start = 0;
  std::optional<matcher::Time> end;  // nothing: without end
  cluster::PoolAmounts pools;
  auto operator<=>(const PoolHold&) const = default;
};

// The name of a pool among resources, as in quotas: "pool/NAME".
inline constexpr const char* kPoolPrefix = "pool/";

}  // namespace fluxnetes::workers
