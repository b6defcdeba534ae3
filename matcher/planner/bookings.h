// The bookings of jobs in a resource graph. The matcher changes them, the
// selection reads them.
//
// Owned by one thread.
// Tests: tests/matcher/fluxion/matcher_test.cc,
// tests/matcher/fluxion/matcher_random_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "matcher/graph/edge_weights.h"
#include "matcher/planner/covers.h"
#include "matcher/planner/vertex_plans.h"

namespace fluxnetes::matcher {

// The capacity of Bookings::sharing: more jobs than may ever use one vertex.
inline constexpr std::int64_t kMaxSharing = 0x40000000;

// A booking or a release at a vertex. The log keeps them in order for readers
// that cache facts about vertices and catch up later instead of being called at
// every change.
struct Touch {
  VertexIndex vertex = kNoVertex;
  bool released = false;
  bool whole = false;      // the vertex itself, not only something below it
  std::uint64_t turn = 0;  // of the booked selection; 0: none
};

class TouchLog {
 public:
  void Add(const Touch& touch) {
    if (touches_.size() == kMost) {
      begin_ += touches_.size();
      touches_.clear();
    }
    touches_.push_back(touch);
  }
  // Returns the position behind the last touch.
  std::uint64_t end() const { return begin_ + touches_.size(); }
  // Returns the touches from `position` on; nothing if some of them were
  // dropped.
  std::optional<std::span<const Touch>> Since(std::uint64_t position) const {
    if (position < begin_) return std::nullopt;
    return std::span(touches_).subspan(position - begin_);
  }

 private:
  static constexpr std::size_t kMost = 1 << 18;

  std::uint64_t begin_ = 0;
  std::vector<Touch> touches_;
};

struct Bookings {
  // `plans` holds exclusive use, in units of the vertex. `sharing` holds one
  // unit for each job that uses the vertex or something below it.
  VertexPlans plans{VertexPlans::kTotal};
  VertexPlans sharing{1};
  std::vector<std::int32_t> allocations;   // [vertex]: jobs that hold it now
  std::vector<std::int32_t> reservations;  // [vertex]: jobs that reserve it
  EdgeWeights weights;
  Covers covers;
  TouchLog log;

  // Makes room for the vertices and edges of the graph.
  void Resize(int vertices, int edges) {
    plans.Resize(vertices);
    sharing.Resize(vertices);
    covers.Resize(vertices);
    allocations.resize(vertices);
    reservations.resize(vertices);
    weights.Resize(edges);
  }
};

}  // namespace fluxnetes::matcher
