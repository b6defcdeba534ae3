// The type checker of CEL: finds the type of each node of an expression, and
// refuses one whose types do not fit, as cel-go does for Kubernetes.
//
//   TypePool pool;
//   ExprPtr expr = Parse(text);
//   CheckTypes(*expr, {{"device", pool.FromText("map(string, any)")}}, pool);
//   expr->type ...
#pragma once

#include <functional>
#include <map>
#include <string>

#include "matcher/cel/syntax.h"
#include "matcher/cel/type.h"

namespace fluxnetes::matcher::cel {

// What an expression can name.
struct Environment {
  std::map<std::string, const Type*> variables = {};
  // The types of the fields of objects, by the object's name.
  std::map<std::string, std::map<std::string, const Type*>> fields = {};
};

// Throws ExpressionError. The pool must live as long as the types are used.
void CheckTypes(Expr& expr, const Environment& environment, TypePool& pool);

}  // namespace fluxnetes::matcher::cel
