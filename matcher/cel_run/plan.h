// Makes the plan of a checked expression.
//
// Tests: tests/matcher/cel_run/program_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "matcher/cel/syntax.h"
#include "matcher/cel_run/node.h"

namespace fluxnetes::matcher::cel {

struct Plan {
  NodePtr root;
  std::size_t slots = 0;
};

// `variables` are those of the environment, in the order of their values.
// Constants are kept in `memory`, which must outlive the plan. Throws
// ExpressionError for a constant that cannot be converted, and for a malformed
// regular expression.
Plan MakePlan(const Expr& expr, const std::vector<std::string>& variables,
              Memory& memory);

}  // namespace fluxnetes::matcher::cel
