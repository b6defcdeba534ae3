// One evaluation of an expression: its variables, and what it has cost.
//
// Costs are those of CEL as Kubernetes counts them (cel-go's runtime cost with
// the costs of k8s.io/apiserver/pkg/cel/library).
//
// Tests: tests/matcher/cel_run/program_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "matcher/cel_run/value.h"

namespace fluxnetes::matcher::cel {

class Node;

// A variable of a loop or of cel.bind. One with `init` is evaluated when it is
// first read.
struct Slot {
  Value value = {};
  const Node* init = nullptr;
};

struct Evaluation {
  std::span<const Value> variables = {};  // those of the environment
  std::span<Slot> slots = {};
  std::uint64_t limit = 0;
  std::uint64_t cost = 0;
  Memory memory = {};

  void Charge(std::uint64_t amount) {
    cost += amount;
    if (cost > limit) throw EvaluationEnded("the cost limit is exceeded");
  }
};

}  // namespace fluxnetes::matcher::cel
