// The syntax tree of an expression in CEL, with macros expanded, and what the
// checker finds about its nodes.
//
// Plain values.
// Tests: tests/matcher/cel/parser_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "matcher/cel/expression_error.h"

namespace fluxnetes::matcher::cel {

struct Type;
struct Overload;

// std::monostate is null.
using Literal = std::variant<std::monostate, bool, std::int64_t, std::uint64_t,
                             double, std::string>;

// Operators are calls of functions with these names.
namespace names {
inline constexpr char kAnd[] = "_&&_";
inline constexpr char kOr[] = "_||_";
inline constexpr char kNot[] = "!_";
inline constexpr char kNegate[] = "-_";
inline constexpr char kChoice[] = "_?_:_";
inline constexpr char kEqual[] = "_==_";
inline constexpr char kNotEqual[] = "_!=_";
inline constexpr char kIn[] = "@in";
inline constexpr char kAdd[] = "_+_";
inline constexpr char kIndex[] = "_[_]";
inline constexpr char kOptionalIndex[] = "_[?_]";
inline constexpr char kOptionalField[] = "_?._";
inline constexpr char kNotFalse[] = "@not_strictly_false";
inline constexpr char kResult[] = "@result";  // a variable of macros
}  // namespace names

struct Expr {
  enum class Kind {
    kLiteral,  // `literal`
    kName,     // the variable `text`
    kField,    // operands[0].text; `tests_presence`: has(...)
    kCall,     // `text` of operands; `has_target`: the first is before the dot
    kList,     // of operands
    kMap,      // of keys and values in turn
    // A loop over a range, which macros expand to. Its operands are the range,
    // the first value of the result variable `text`, the condition to go on,
    // the step, and what the loop yields. `loop_variable` has each element.
    kLoop,
  };
  Kind kind = Kind::kLiteral;
  Position at;
  Literal literal = {};
  std::string text = {};
  std::string loop_variable = {};
  std::vector<std::unique_ptr<Expr>> operands = {};
  std::vector<bool> optional = {};  // which elements or entries are `?`
  bool has_target = false;
  bool tests_presence = false;

  // By the checker: the type, and the overload if only one can be meant.
  const Type* type = nullptr;
  const Overload* overload = nullptr;
};
using ExprPtr = std::unique_ptr<Expr>;

ExprPtr Copy(const Expr& expr);

}  // namespace fluxnetes::matcher::cel
