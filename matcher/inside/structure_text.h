// The inside of one node from a text in any of the forms that people have. The
// first characters tell which one it is:
//
//   sockets: 2, numa: 4, cores: 64, gpus: 8   the short form
//   {"graph": ...}                            JGF
//   <graphml> ... </graphml>                  a recipe (GRUG)
//   <topology> ... </topology>                hwloc, as `lstopo` writes it
//
// A core is a cpu of Kubernetes. So where hwloc shows cores with several
// hardware threads, each thread is a core. hwloc's caches and groups are left
// out, and its NUMA nodes are domains (numa_domains.h).
//
// Tests: tests/matcher/inside/structure_text_test.cc.
#pragma once

#include <cstddef>
#include <string_view>

#include "matcher/graph/resource_graph.h"
#include "matcher/inside/short_structure.h"

namespace fluxnetes::matcher {

inline constexpr std::size_t kMaxStructureBytes = std::size_t{8} << 20;

// Returns the node, which is the root, and what is inside of it: at most
// kMaxInsideVertices, kMaxGraphDepth deep. Throws StructureError; what() names
// the place, such as a line or a field, and what is wrong.
ResourceGraph ReadStructure(std::string_view text);

}  // namespace fluxnetes::matcher
