// A text that is not a resource graph or a part of one. what() gives the place
// and the fault: "graph.nodes[3].metadata.type: is not a text".
// Tests: tests/matcher/readers/jgf_test.cc,
// tests/matcher/readers/rv1exec_test.cc.
#pragma once

#include <stdexcept>

namespace fluxnetes::matcher {

class GraphError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMaxGraphBytes = std::size_t{1} << 30;
inline constexpr int kMaxGraphTypes = 1'000;

}  // namespace fluxnetes::matcher
