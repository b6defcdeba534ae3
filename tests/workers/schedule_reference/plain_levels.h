// Where the pods of a gang go by the levels of its topology, by their
// definition in the manual ("One host, rack or zone", "So many pods to a
// rack"): nodes are divided by the values of one label after the other, with
// plain lists. For gangs of equal pods, and nodes that only differ in cpu.
// Slow, for comparison.
//
// Tests: tests/workers/schedule_reference/schedule_reference_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/node.h"

namespace fluxnetes::workers {

struct PlainNode {
  int number = 0;
  const cluster::LabelMap* labels = nullptr;
  int fits = 0;           // pods of the gang
  std::int64_t cpu = 0;   // that is free
  std::int64_t pods = 0;  // that it has
};

// What the nodes have in all, free or not.
struct PlainTotals {
  std::int64_t cpu = 0;
  std::int64_t nodes = 0;
};

// The node of each pod, in order; nothing: they do not fit. `nodes` are in the
// order in which they are filled.
std::optional<std::vector<int>> PlaceByLevels(
    const cluster::GroupTopology& topology, int pods,
    const std::vector<PlainNode>& nodes, const PlainTotals& totals);

}  // namespace fluxnetes::workers
