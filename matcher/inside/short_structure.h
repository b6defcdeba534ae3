// The inside of a node in a short form, for simulated nodes and node files:
//
//   sockets: 2, numa: 4, cores: 64, gpus: 8, islands: 2, memory: 512Gi
//
// Counts are those of the whole node. Sockets, NUMA domains and islands contain
// each other, the fewer the further out, and each divides equally over those
// around it. Cores and memory are in the innermost ones, GPUs and NICs in the
// innermost ones over which they divide.
//
//   node - socket0 - island0 - numa0 - core0..15, memory0..31, gpu0..1
//
// What is not named is not there, but there is at least one socket. Memory is
// cut into pieces, since a task takes vertices whole: the size of a piece is a
// power of two of MiB, and an innermost domain has at most kMemoryPieces.
// Memory vertices count MiB.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

inline constexpr int kMemoryPieces = 32;
inline constexpr std::size_t kMaxShortStructureBytes = 1'000;

struct ShortStructure {
  std::int64_t sockets = 1;
  std::int64_t numa = 0;  // 0: none, as for those below
  std::int64_t islands = 0;
  std::int64_t cores = 0;
  std::int64_t gpus = 0;
  std::int64_t nics = 0;
  std::int64_t memory_mib = 0;
};

// A text or counts that make no node. what() names the place and what is wrong.
class StructureError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Both throw StructureError.
ShortStructure ParseShortStructure(std::string_view text);
ResourceGraph MakeInside(const ShortStructure& structure);

inline ResourceGraph ReadShortStructure(std::string_view text) {
  return MakeInside(ParseShortStructure(text));
}

}  // namespace fluxnetes::matcher
