// Covers: jobs that hold a vertex and everything below it. Only the vertex is
// booked, since nothing below it can be reached while it is taken. So a job on
// whole nodes costs as much as its nodes, not as their cores.
//
// Part of Bookings; owned by its thread.
// Tests: tests/matcher/fluxion/matcher_test.cc,
// tests/matcher/fluxion/matcher_random_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

struct Cover {
  JobId job = 0;
  Time start = 0;
  Time end = 0;
  bool reserved = false;
};

class Covers {
 public:
  void Resize(int vertices) { counts_.resize(vertices); }

  void Add(VertexIndex v, const Cover& cover) {
    ++counts_[v];
    ++all_;
    covers_[v].push_back(cover);
  }
  void Remove(VertexIndex v, JobId job) {
    auto& covers = covers_[v];
    std::erase_if(covers, [&](const Cover& cover) { return cover.job == job; });
    if (covers.empty()) covers_.erase(v);
    --counts_[v];
    --all_;
  }
  bool empty() const { return all_ == 0; }
  bool Any(VertexIndex v) const { return counts_[v] > 0; }
  std::span<const Cover> At(VertexIndex v) const {
    return Any(v) ? std::span<const Cover>(covers_.at(v))
                  : std::span<const Cover>();
  }

 private:
  std::int64_t all_ = 0;
  std::vector<std::int32_t> counts_;  // [vertex]
  std::unordered_map<VertexIndex, std::vector<Cover>> covers_;
};

}  // namespace fluxnetes::matcher
