// Tokens of CEL (its language definition, "Lexis").
//
// Plain values; Tokenize throws ExpressionError.
// Tests: tests/matcher/cel/parser_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/cel/expression_error.h"

namespace fluxnetes::matcher::cel {

struct Token {
  enum class Kind {
    kEnd,
    kName,
    kInt,     // digits, in `text`; the parser reads them with their sign
    kUint,    // in `number`
    kDouble,  // in `real`
    kString,  // its value, in `text`
    kSign,    // operators and brackets, in `text`; also `in`
  };
  Kind kind = Kind::kEnd;
  Position at;
  std::string text;
  std::uint64_t number = 0;
  double real = 0;

  bool Is(std::string_view sign) const {
    return kind == Kind::kSign && text == sign;
  }
};

// The last token is kEnd.
std::vector<Token> Tokenize(std::string_view expression);

}  // namespace fluxnetes::matcher::cel
