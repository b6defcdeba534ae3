// The functions and operators of CEL that selectors can call, by name and
// types: those of the language, and of its strings, optional and Kubernetes'
// quantity, semver, regex and list libraries.
//
// Constant after its first use.
// Tests: tests/matcher/cel/checker_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matcher/cel/type.h"

namespace fluxnetes::matcher::cel {

// One signature of a function. With `has_target` the first operand stands
// before the dot: size(x), x.size().
struct Overload {
  std::string id;  // as cel-go calls it; costs depend on it
  bool has_target = false;
  std::vector<const Type*> operands = {};
  const Type* result = nullptr;
};

// The signatures of a function, in the order in which they are tried; nullptr:
// there is no such function.
const std::vector<Overload>* FindFunction(std::string_view name);

// A function of Kubernetes' environment that is not supported here.
bool IsUnsupportedFunction(std::string_view name);

}  // namespace fluxnetes::matcher::cel
