// Tells quickly that a jobspec does not fit beside the taken vertices of a
// node: where no domain has enough left of each type. A domain is a vertex of
// the type that is outermost in the jobspec, or the node. It counts units, so
// what it lets pass may still not fit.
//
// Constant after construction; owned by one thread.
// Tests: tests/matcher/inside/inside_bound_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/inside/node_structure.h"
#include "matcher/inside/vertex_mask.h"
#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

class InsideBound {
 public:
  // Slots side by side in the jobspec are no alternatives of each other.
  InsideBound(const NodeStructure& structure, const Jobspec& jobspec);

  // False if the jobspec cannot fit.
  bool MayFit(std::span<const std::uint64_t> taken) const;

 private:
  struct Need {
    TypeId type = -1;
    std::int64_t units = 0;     // in a domain
    std::int64_t most = 1;      // units of one vertex
    std::int64_t vertices = 0;  // units / most, rounded up
    std::int64_t all = 0;       // vertices of the type in the node
    VertexMask of_type;
  };
  struct Domain {
    VertexIndex first = 0;
    VertexIndex end = 0;
  };
  bool EnoughIn(const Domain& domain,
                std::span<const std::uint64_t> taken) const;
  // Adds what `count` of the resource needs.
  void AddNeeds(const NodeStructure& structure, const Jobspec& jobspec, int r,
                std::int64_t count);
  Need* NeedOf(const NodeStructure& structure, const std::string& type);

  std::vector<Domain> domains_;
  std::vector<Need> needs_;
  bool never_ = false;  // the structure lacks a type
};

}  // namespace fluxnetes::matcher
