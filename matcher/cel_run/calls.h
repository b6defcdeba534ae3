// What the functions and operators of CEL do with their operands, none of which
// is an error.
//
// Tests: tests/matcher/cel_run/program_test.cc.
#pragma once

#include <span>
#include <string_view>

#include "matcher/cel_run/evaluation.h"

namespace fluxnetes::matcher::cel {

using Operands = std::span<const Value>;
// Finds out from the kinds of the operands which overload is meant.
using Call = Value (*)(Evaluation& evaluation, Operands operands);

struct NamedCall {
  std::string_view function;
  Call call;
};
std::span<const NamedCall> NumberCalls();
std::span<const NamedCall> ConversionCalls();
std::span<const NamedCall> StringCalls();
std::span<const NamedCall> ListCalls();
std::span<const NamedCall> KubernetesCalls();

// nullptr: the planner has a node of its own for it.
Call FindCall(std::string_view function);

// True if the operands are of these kinds.
bool Are(Operands operands, std::initializer_list<Value::Kind> kinds);
Value NoOverload();

}  // namespace fluxnetes::matcher::cel
