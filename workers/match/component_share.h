// Decides which components a replica takes and which it leaves, so that they
// are spread evenly over the living replicas. It is a pure function of rows
// that all replicas read alike; they agree without messages, and no two take
// the same component.
//
// Ownership does not change as long as no replica owns two more than another;
// then the larger owner leaves one. A free component goes to the replica that
// owns the fewest.
#pragma once

#include <cstdint>
#include <vector>

namespace fluxnetes::workers {

struct Share {
  std::vector<std::size_t> take;  // free components, by index
  // Own components, by index, to be left to others.
  std::vector<std::size_t> leave;
  bool operator==(const Share&) const = default;
};

inline constexpr std::int64_t kFree = 0;
inline constexpr std::int64_t kUnderWay = -1;  // being handed over

// `replicas`: client ids in order. `owners`: of each component a client id,
// kFree or kUnderWay. Returns an empty share if `self` is not among the
// replicas.
Share ShareOf(std::int64_t self, const std::vector<std::int64_t>& replicas,
              const std::vector<std::int64_t>& owners);

}  // namespace fluxnetes::workers
