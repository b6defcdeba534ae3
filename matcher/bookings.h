// What is booked in a graph; the matcher changes it, the selection reads it.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "matcher/vertex_plans.h"

namespace fluxnetes::matcher {

// A vertex shared by all jobs at once has this many places.
inline constexpr std::int64_t kMaxSharing = 0x40000000;

struct Bookings {
  VertexPlans plans;    // exclusive use, units of the vertex
  VertexPlans sharing;  // jobs at or below the vertex, one unit each
  std::vector<std::int32_t> allocations;   // [vertex]: jobs that have it now
  std::vector<std::int32_t> reservations;  // [vertex]: jobs that will
  std::vector<std::int64_t> weights;       // [edge]: for `first`

  // Makes room for what the graph has.
  void Resize(int vertices, int edges) {
    plans.Resize(vertices);
    sharing.Resize(vertices);
    allocations.resize(vertices);
    reservations.resize(vertices);
    weights.resize(edges, kForever);
  }
};

}  // namespace fluxnetes::matcher
