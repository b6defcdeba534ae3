// Reads an expression in CEL (its language definition, "Syntax"), with the
// optional syntax `a.?b`, `a[?b]`, `[?a]` and `{?a: b}`.
//
//   const ExprPtr expr = Parse("device.driver == 'gpu.example.com'");
//
// Throws ExpressionError for what is malformed, not supported (bytes, messages,
// names with a leading dot), longer than 10 KiB, or nested deeper than 250 in
// one way or 1,000 in all.
#pragma once

#include <string_view>

#include "matcher/cel/syntax.h"

namespace fluxnetes::matcher::cel {

inline constexpr std::size_t kMaximumBytes = 10 * 1024;
inline constexpr int kMaximumDepth = 250;
inline constexpr int kMaximumTreeDepth = 1000;

ExprPtr Parse(std::string_view expression);

}  // namespace fluxnetes::matcher::cel
