// What is wrong with an expression in CEL, and where.
//
// Tests: tests/matcher/cel/parser_test.cc.
#pragma once

#include <stdexcept>
#include <string>

namespace fluxnetes::matcher::cel {

// In the text of an expression; both from 1. Columns count characters.
struct Position {
  int line = 1;
  int column = 1;
};

class ExpressionError : public std::invalid_argument {
 public:
  ExpressionError(Position at, const std::string& text)
      : std::invalid_argument(std::to_string(at.line) + ":" +
                              std::to_string(at.column) + ": " + text) {}
};

}  // namespace fluxnetes::matcher::cel
