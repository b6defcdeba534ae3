// What is booked in a graph; the matcher changes it, the selection reads it.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "matcher/graph/edge_weights.h"
#include "matcher/planner/covers.h"
#include "matcher/planner/vertex_plans.h"

namespace fluxnetes::matcher {

// A vertex shared by all jobs at once has this many places.
inline constexpr std::int64_t kMaxSharing = 0x40000000;

// What came to a vertex, or went, in order: for those who remember something of
// vertices and must not be told of every change.
struct Touch {
  VertexIndex vertex = kNoVertex;
  bool released = false;
  bool whole = false;      // the vertex itself, not only something below it
  std::uint64_t turn = 0;  // of the selection that was booked; 0: of none
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
  // The position behind the last one.
  std::uint64_t end() const { return begin_ + touches_.size(); }
  // Nothing if some since then were dropped.
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
  // Exclusive use, in units of the vertex; jobs at or below it, one unit each.
  VertexPlans plans{VertexPlans::kTotal};
  VertexPlans sharing{1};
  std::vector<std::int32_t> allocations;   // [vertex]: jobs that have it now
  std::vector<std::int32_t> reservations;  // [vertex]: jobs that will
  EdgeWeights weights;
  Covers covers;
  TouchLog log;

  // Makes room for what the graph has.
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
