#include "matcher/cel/macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fluxnetes::matcher::cel {

ExprPtr Copy(const Expr& expr) {
  auto copy = std::make_unique<Expr>();
  copy->kind = expr.kind;
  copy->at = expr.at;
  copy->literal = expr.literal;
  copy->text = expr.text;
  copy->loop_variable = expr.loop_variable;
  for (const ExprPtr& operand : expr.operands) {
    copy->operands.push_back(Copy(*operand));
  }
  copy->optional = expr.optional;
  copy->has_target = expr.has_target;
  copy->tests_presence = expr.tests_presence;
  return copy;
}

namespace {

using ExprKind = Expr::Kind;

// Makes the nodes of one expansion, all at the place of the macro.
struct Maker {
  Position at;

  ExprPtr New(ExprKind kind, std::string text = {}) const {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->at = at;
    expr->text = std::move(text);
    return expr;
  }
  ExprPtr Constant(Literal literal) const {
    ExprPtr expr = New(ExprKind::kLiteral);
    expr->literal = std::move(literal);
    return expr;
  }
  ExprPtr Result() const { return New(ExprKind::kName, names::kResult); }
  template <class... Operands>
  ExprPtr Call(const char* name, Operands... operands) const {
    ExprPtr expr = New(ExprKind::kCall, name);
    (expr->operands.push_back(std::move(operands)), ...);
    return expr;
  }
  ExprPtr List(ExprPtr element = nullptr) const {
    ExprPtr expr = New(ExprKind::kList);
    if (element) expr->operands.push_back(std::move(element));
    expr->optional.resize(expr->operands.size());
    return expr;
  }
  ExprPtr Loop(std::string loop_variable, std::string result_variable,
               std::array<ExprPtr, 5> parts) const {
    ExprPtr expr = New(ExprKind::kLoop, std::move(result_variable));
    expr->loop_variable = std::move(loop_variable);
    for (ExprPtr& part : parts) expr->operands.push_back(std::move(part));
    return expr;
  }
  // result_variable = value, then `result`.
  ExprPtr Bind(std::string variable, ExprPtr value, ExprPtr result) const {
    ExprPtr name = New(ExprKind::kName, variable);
    return Loop("#unused", std::move(variable),
                {List(), std::move(value), Constant(false), std::move(name),
                 std::move(result)});
  }
};

std::string VariableOf(const Expr& macro, std::size_t operand) {
  const Expr& name = *macro.operands[operand];
  if (name.kind != ExprKind::kName) {
    throw ExpressionError(
        name.at, fmt::format("{} needs a variable's name here", macro.text));
  }
  if (name.text == "__result__") {
    throw ExpressionError(name.at, "a variable cannot be called __result__");
  }
  return name.text;
}

ExprPtr ExpandHas(ExprPtr call) {
  ExprPtr field = std::move(call->operands[0]);
  if (field->kind != ExprKind::kField || field->tests_presence) {
    throw ExpressionError(field->at, "has() needs a field, such as has(a.b)");
  }
  field->tests_presence = true;
  field->at = call->at;
  return field;
}

ExprPtr ExpandAll(ExprPtr call, const Maker& make) {
  std::string variable = VariableOf(*call, 1);
  return make.Loop(
      std::move(variable), names::kResult,
      {std::move(call->operands[0]), make.Constant(true),
       make.Call(names::kNotFalse, make.Result()),
       make.Call(names::kAnd, make.Result(), std::move(call->operands[2])),
       make.Result()});
}

ExprPtr ExpandExists(ExprPtr call, const Maker& make) {
  std::string variable = VariableOf(*call, 1);
  return make.Loop(
      std::move(variable), names::kResult,
      {std::move(call->operands[0]), make.Constant(false),
       make.Call(names::kNotFalse, make.Call(names::kNot, make.Result())),
       make.Call(names::kOr, make.Result(), std::move(call->operands[2])),
       make.Result()});
}

ExprPtr ExpandExistsOne(ExprPtr call, const Maker& make) {
  std::string variable = VariableOf(*call, 1);
  ExprPtr one_more =
      make.Call(names::kAdd, make.Result(), make.Constant(std::int64_t{1}));
  return make.Loop(std::move(variable), names::kResult,
                   {std::move(call->operands[0]),
                    make.Constant(std::int64_t{0}), make.Constant(true),
                    make.Call(names::kChoice, std::move(call->operands[2]),
                              std::move(one_more), make.Result()),
                    make.Call(names::kEqual, make.Result(),
                              make.Constant(std::int64_t{1}))});
}

// Also map with a filter, and filter, which keeps the element itself.
ExprPtr ExpandMap(ExprPtr call, const Maker& make, ExprPtr condition,
                  ExprPtr element) {
  std::string variable = VariableOf(*call, 1);
  ExprPtr step =
      make.Call(names::kAdd, make.Result(), make.List(std::move(element)));
  if (condition) {
    step = make.Call(names::kChoice, std::move(condition), std::move(step),
                     make.Result());
  }
  return make.Loop(std::move(variable), names::kResult,
                   {std::move(call->operands[0]), make.List(),
                    make.Constant(true), std::move(step), make.Result()});
}

// optMap has what it is applied to twice, so a chain of them doubles each time.
constexpr std::size_t kMostCopied = 2000;

std::size_t CountNodes(const Expr& expr) {
  std::size_t count = 1;
  for (const ExprPtr& operand : expr.operands) count += CountNodes(*operand);
  return count;
}

ExprPtr ExpandOptionalMap(ExprPtr call, const Maker& make, bool flat) {
  if (CountNodes(*call->operands[0]) > kMostCopied) {
    throw ExpressionError(
        call->at,
        fmt::format("{} follows on too large an expression", call->text));
  }
  std::string variable = VariableOf(*call, 1);
  ExprPtr value = make.Call("value", Copy(*call->operands[0]));
  ExprPtr has = make.Call("hasValue", std::move(call->operands[0]));
  value->has_target = has->has_target = true;
  ExprPtr bound = make.Bind(std::move(variable), std::move(value),
                            std::move(call->operands[2]));
  if (!flat) bound = make.Call("optional.of", std::move(bound));
  return make.Call(names::kChoice, std::move(has), std::move(bound),
                   make.Call("optional.none"));
}

bool IsCelBind(const Expr& call) {
  return call.text == "bind" && call.operands.size() == 4 &&
         call.operands[0]->kind == ExprKind::kName &&
         call.operands[0]->text == "cel";
}

// Macros of Kubernetes' environment that are not supported: name and operands.
constexpr std::array<std::pair<std::string_view, std::size_t>, 11>
    kUnsupportedMacros = {{{"all", 3},
                           {"exists", 3},
                           {"existsOne", 3},
                           {"exists_one", 3},
                           {"transformList", 3},
                           {"transformList", 4},
                           {"transformMap", 3},
                           {"transformMap", 4},
                           {"transformMapEntry", 3},
                           {"transformMapEntry", 4},
                           {"sortBy", 2}}};

}  // namespace

ExprPtr ExpandMacro(ExprPtr call) {
  const Maker make{call->at};
  if (!call->has_target) {
    const bool has = call->text == "has" && call->operands.size() == 1;
    return has ? ExpandHas(std::move(call)) : std::move(call);
  }
  const std::string name = call->text;
  const std::size_t given = call->operands.size() - 1;
  if (IsCelBind(*call)) {
    return make.Bind(VariableOf(*call, 1), std::move(call->operands[2]),
                     std::move(call->operands[3]));
  }
  const std::pair<std::string_view, std::size_t> key(name, given);
  if (std::ranges::find(kUnsupportedMacros, key) != kUnsupportedMacros.end()) {
    throw ExpressionError(
        call->at,
        fmt::format("{} with {} operands is not supported", name, given));
  }
  if (name == "map" && given == 3) {
    ExprPtr condition = std::move(call->operands[2]);
    ExprPtr element = std::move(call->operands[3]);
    return ExpandMap(std::move(call), make, std::move(condition),
                     std::move(element));
  }
  if (given != 2) return call;
  if (name == "all") return ExpandAll(std::move(call), make);
  if (name == "exists") return ExpandExists(std::move(call), make);
  if (name == "exists_one" || name == "existsOne") {
    return ExpandExistsOne(std::move(call), make);
  }
  if (name == "map") {
    ExprPtr element = std::move(call->operands[2]);
    return ExpandMap(std::move(call), make, nullptr, std::move(element));
  }
  if (name == "filter") {
    ExprPtr condition = std::move(call->operands[2]);
    ExprPtr element = Copy(*call->operands[1]);
    return ExpandMap(std::move(call), make, std::move(condition),
                     std::move(element));
  }
  if (name == "optMap" || name == "optFlatMap") {
    return ExpandOptionalMap(std::move(call), make, name == "optFlatMap");
  }
  return call;
}

}  // namespace fluxnetes::matcher::cel
