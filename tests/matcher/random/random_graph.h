// Random resource graphs for tests. A plan can make the same graph more than
// once, and show it.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

// Small random numbers, which depend only on the seed.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  int Below(int most) { return static_cast<int>(engine_() % most); }
  int Between(int low, int high) { return low + Below(high - low + 1); }
  bool OneIn(int n) { return Below(n) == 0; }

 private:
  std::mt19937 engine_;
};

enum class GraphSize {
  kSmall,  // up to 12 nodes, with racks and sockets or without
  kDeep,   // all levels, and one that Fluxion does not know
  kWide,   // 100 to 300 nodes with few cores each
  kLong,   // few nodes with many cores: more than 1,024 candidates
};

struct GraphPlan {
  struct Entry {
    int parent = -1;
    Vertex vertex;
  };
  std::vector<Entry> entries;
  std::vector<std::string> types;  // of inner vertices, from the bottom

  ResourceGraph Make() const;
  std::string Show() const;
};

GraphPlan RandomGraph(Random& random, GraphSize size);

}  // namespace fluxnetes::matcher
