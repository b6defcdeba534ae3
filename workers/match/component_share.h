// Which components a replica takes and gives up, so that they are spread evenly
// over the living replicas. A pure function of rows that all replicas read
// alike, so that they agree without a word: nobody takes what another will.
//
// What is owned stays where it is as long as no replica owns two more than
// another; that one gives one up. What is free goes to who owns least.
#pragma once

#include <cstdint>
#include <vector>

namespace fluxnetes::workers {

struct Share {
  std::vector<std::size_t> take;   // free components, by their numbers
  std::vector<std::size_t> leave;  // own ones that others shall have
  bool operator==(const Share&) const = default;
};

inline constexpr std::int64_t kFree = 0;
inline constexpr std::int64_t kUnderWay = -1;  // is being handed over

// `replicas`: client numbers in order; `owners`: of each component, a client,
// kFree or kUnderWay. Nobody takes anything who is not among the replicas.
Share ShareOf(std::int64_t self, const std::vector<std::int64_t>& replicas,
              const std::vector<std::int64_t>& owners);

}  // namespace fluxnetes::workers
