// Tells quickly that a jobspec does not fit beside the taken vertices of a
// node: where no domain has enough left of each type. A domain is a vertex of
// the type that is outermost in the jobspec, or the node. It counts units, so
// what it lets pass may still not fit.
//
// Constant after construction; owned by one thread.
// Tests: tests/matcher/inside/inside_bound_test.cc.
#pragma once

#include <bit>
#include <cstddef>
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
  bool MayFit(std::span<const std::uint64_t> taken) const {
    if (never_) return false;
    for (const Domain& domain : domains_) {
      if (EnoughIn(domain, taken)) return true;
    }
    return false;
  }

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
    std::size_t first_check = 0;  // one for each need, in their order
  };
  // The vertices of a need in a domain: bits of a few words.
  struct Check {
    std::int64_t vertices = 0;  // so many must be left
    std::size_t first = 0;      // pieces_ [first, last)
    std::size_t last = 0;
  };
  struct Piece {
    std::size_t word = 0;
    std::uint64_t bits = 0;
  };
  void MakeChecks(Domain& domain);
  bool EnoughIn(const Domain& domain,
                std::span<const std::uint64_t> taken) const {
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const Check& check = checks_[domain.first_check + i];
      std::int64_t left = 0;
      for (std::size_t p = check.first; p < check.last; ++p)
        left += std::popcount(pieces_[p].bits & ~taken[pieces_[p].word]);
      if (left < check.vertices) return false;
    }
    return true;
  }
  // Adds what `count` of the resource needs.
  void AddNeeds(const NodeStructure& structure, const Jobspec& jobspec, int r,
                std::int64_t count);
  Need* NeedOf(const NodeStructure& structure, const std::string& type);

  std::vector<Domain> domains_;
  std::vector<Need> needs_;
  std::vector<Check> checks_;
  std::vector<Piece> pieces_;
  bool never_ = false;  // the structure lacks a type
};

}  // namespace fluxnetes::matcher
