// Macros of CEL: calls that stand for loops.
//
// Tests: tests/matcher/cel/parser_test.cc.
#pragma once

#include "matcher/cel/syntax.h"

namespace fluxnetes::matcher::cel {

// Expands has, all, exists, exists_one, existsOne, map, filter, cel.bind,
// optMap and optFlatMap; returns other calls as they are. Throws
// ExpressionError for a macro with wrong operands, and for one that is not
// supported.
ExprPtr ExpandMacro(ExprPtr call);

}  // namespace fluxnetes::matcher::cel
