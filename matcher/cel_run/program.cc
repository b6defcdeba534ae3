#include "matcher/cel_run/program.h"

#include <fmt/format.h>

#include <vector>

#include "matcher/cel/parser.h"
#include "matcher/cel_run/plan.h"

namespace fluxnetes::matcher::cel {

struct Program::Compiled {
  Memory constants;
  Plan plan;
};

Program::Program(std::string_view expression, const Environment& environment) {
  const ExprPtr expr = Parse(expression);
  TypePool pool;
  CheckTypes(*expr, environment, pool);
  if (expr->type->kind != Type::Kind::kBool &&
      expr->type->kind != Type::Kind::kAny) {
    throw ExpressionError(expr->at,
                          fmt::format("a selector must be a bool instead of {}",
                                      ToText(*expr->type)));
  }
  std::vector<std::string> variables;
  for (const auto& [name, type] : environment.variables) {
    variables.push_back(name);
  }
  auto compiled = std::make_shared<Compiled>();
  try {
    compiled->plan = MakePlan(*expr, variables, compiled->constants);
  } catch (const EvaluationEnded& ended) {
    throw ExpressionError(expr->at, ended.what());
  }
  compiled_ = std::move(compiled);
}

Program::Result Program::Evaluate(std::span<const Value> variables,
                                  std::uint64_t limit) const {
  Evaluation evaluation;
  evaluation.variables = variables;
  evaluation.limit = limit;
  Result result;
  try {
    evaluation.slots = evaluation.memory.New<Slot>(compiled_->plan.slots);
    const Value value = compiled_->plan.root->Evaluate(evaluation);
    if (value.kind == Value::Kind::kBool) {
      result.value = value.boolean;
    } else if (value.IsError()) {
      result.error = value.text;
    } else {
      result.error = fmt::format("the expression yields {} instead of a bool",
                                 TypeName(value));
    }
  } catch (const EvaluationEnded& ended) {
    result.error = ended.what();
  }
  result.cost = evaluation.cost;
  return result;
}

}  // namespace fluxnetes::matcher::cel
