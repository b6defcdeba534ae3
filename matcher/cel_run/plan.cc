#include "matcher/cel_run/plan.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <optional>
#include <utility>

#include "matcher/cel/functions.h"

namespace fluxnetes::matcher::cel {
namespace {

constexpr auto kConversions = std::to_array<std::string_view>(
    {"bool", "double", "dyn", "int", "string", "type", "uint"});

struct NamedRule {
  std::string_view name;
  CostRule rule;
};
// Kubernetes' costs go by the function,
constexpr auto kRulesOfFunctions = std::to_array<NamedRule>({
    {"isSorted", CostRule::kTraversal},
    {"sum", CostRule::kTraversal},
    {"max", CostRule::kTraversal},
    {"min", CostRule::kTraversal},
    {"indexOf", CostRule::kTraversal},
    {"lastIndexOf", CostRule::kTraversal},
    {"lowerAscii", CostRule::kFirstText},
    {"upperAscii", CostRule::kFirstText},
    {"substring", CostRule::kFirstText},
    {"trim", CostRule::kFirstText},
    {"replace", CostRule::kFirstTextTwice},
    {"split", CostRule::kFirstTextTwice},
    {"join", CostRule::kResultTextTwice},
    {"find", CostRule::kTextTimesRegex},
    {"findAll", CostRule::kTextTimesRegex},
    {"quantity", CostRule::kFirstText},
    {"isQuantity", CostRule::kFirstText},
    {"semver", CostRule::kFirstText},
    {"isSemver", CostRule::kFirstText},
});
// and those of cel-go by the overload, if only one can be meant.
constexpr auto kRulesOfOverloads = std::to_array<NamedRule>({
    {"starts_with_string", CostRule::kFirstText},
    {"ends_with_string", CostRule::kFirstText},
    {"in_list", CostRule::kSecondSize},
    {"less_string", CostRule::kShorterText},
    {"less_equals_string", CostRule::kShorterText},
    {"greater_string", CostRule::kShorterText},
    {"greater_equals_string", CostRule::kShorterText},
    {"add_string", CostRule::kBothTexts},
    {"matches_string", CostRule::kTextTimesRegex},
    {"contains_string", CostRule::kTextTimesText},
});

CostRule RuleOf(const Expr& call) {
  for (const NamedRule& rule : kRulesOfFunctions) {
    if (rule.name == call.text) return rule.rule;
  }
  for (const NamedRule& rule : kRulesOfOverloads) {
    if (call.overload && rule.name == call.overload->id) return rule.rule;
  }
  return CostRule::kOne;
}

bool AreConstants(const std::vector<NodePtr>& nodes) {
  return std::ranges::all_of(
      nodes, [](const NodePtr& node) { return node->Constant() != nullptr; });
}

class Planner {
 public:
  Planner(const std::vector<std::string>& variables, Memory& memory)
      : variables_(variables), memory_(memory) {}

  NodePtr Make(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral:
        return NewConstant(LiteralValue(expr.literal));
      case Expr::Kind::kName:
        return MakeName(expr);
      case Expr::Kind::kField:
        return MakeField(expr);
      case Expr::Kind::kCall:
        return MakeCall(expr);
      case Expr::Kind::kList:
      case Expr::Kind::kMap:
        return MakeLiteral(expr);
      case Expr::Kind::kLoop:
        return MakeLoop(expr);
    }
    return nullptr;
  }

  std::size_t slots() const { return slots_; }

 private:
  Value LiteralValue(const Literal& literal);
  NodePtr MakeName(const Expr& expr);
  NodePtr MakeField(const Expr& expr);
  NodePtr MakeIndex(const Expr& expr, bool optional);
  NodePtr MakeCall(const Expr& expr);
  NodePtr MakeSpecial(const Expr& expr, std::vector<NodePtr>& operands);
  NodePtr MakeConversion(const Expr& expr, std::vector<NodePtr>& operands);
  NodePtr MakeRegex(const Expr& expr, std::vector<NodePtr>& operands);
  NodePtr MakeMembership(const Expr& expr, std::vector<NodePtr>& operands);
  NodePtr MakeKnown(Call call, CostRule rule, const Value& operand);
  NodePtr MakeLiteral(const Expr& expr);
  NodePtr MakeLoop(const Expr& expr);
  std::vector<NodePtr> MakeAll(const std::vector<ExprPtr>& exprs);
  // Evaluates what has no variables.
  Value Fold(const Node& node);
  // The path of the node, or one that begins at its value.
  static std::shared_ptr<Path> PathOf(NodePtr node);
  static NodePtr AddStep(NodePtr whole, PathStep step);

  const std::vector<std::string>& variables_;
  Memory& memory_;
  std::vector<std::pair<std::string, std::size_t>> scope_;
  std::size_t slots_ = 0;
};

Value Planner::LiteralValue(const Literal& literal) {
  struct Visitor {
    Memory& memory;
    Value operator()(std::monostate) const { return Value::Null(); }
    Value operator()(bool value) const { return Value::Bool(value); }
    Value operator()(std::int64_t value) const { return Value::Int(value); }
    Value operator()(std::uint64_t value) const { return Value::Uint(value); }
    Value operator()(double value) const { return Value::Double(value); }
    Value operator()(const std::string& value) const {
      return Value::String(memory.KeepText(value));
    }
  };
  return std::visit(Visitor{memory_}, literal);
}

NodePtr Planner::MakeName(const Expr& expr) {
  const auto local = std::find_if(
      scope_.rbegin(), scope_.rend(),
      [&expr](const auto& variable) { return variable.first == expr.text; });
  if (local != scope_.rend()) {
    return std::make_unique<PathNode>(NewSlotPath(local->second));
  }
  const auto found = std::ranges::find(variables_, expr.text);
  if (found == variables_.end()) {
    return NewConstant(Value::TypeNamed(memory_.KeepText(expr.text)));
  }
  return std::make_unique<PathNode>(
      NewVariablePath(static_cast<std::size_t>(found - variables_.begin())));
}

std::shared_ptr<Path> Planner::PathOf(NodePtr node) {
  if (const auto* path = dynamic_cast<const PathNode*>(node.get())) {
    return path->path();
  }
  return NewValuePath(std::move(node));
}

NodePtr Planner::AddStep(NodePtr whole, PathStep step) {
  const bool tests_presence = step.tests_presence;
  std::shared_ptr<Path> path = PathOf(std::move(whole));
  path->Add(std::make_shared<const PathStep>(std::move(step)));
  auto node = std::make_unique<PathNode>(std::move(path));
  if (tests_presence) node->TestPresence();
  return node;
}

NodePtr Planner::MakeField(const Expr& expr) {
  PathStep step;
  step.key = LiteralValue(expr.text);
  step.tests_presence = expr.tests_presence;
  return AddStep(Make(*expr.operands[0]), std::move(step));
}

NodePtr Planner::MakeIndex(const Expr& expr, bool optional) {
  NodePtr whole = Make(*expr.operands[0]);
  NodePtr index = Make(*expr.operands[1]);
  PathStep step;
  step.optional = optional;
  if (const Value* constant = index->Constant()) {
    if (!constant->IsNumber() && constant->kind != Value::Kind::kBool &&
        constant->kind != Value::Kind::kString) {
      throw ExpressionError(expr.operands[1]->at,
                            "a value of this type cannot be a key");
    }
    step.key = *constant;
  } else if (const auto* path = dynamic_cast<const PathNode*>(index.get())) {
    step.path = path->path();
  } else {
    step.node = std::move(index);
  }
  return AddStep(std::move(whole), std::move(step));
}

std::vector<NodePtr> Planner::MakeAll(const std::vector<ExprPtr>& exprs) {
  std::vector<NodePtr> nodes;
  for (const ExprPtr& expr : exprs) nodes.push_back(Make(*expr));
  return nodes;
}

Value Planner::Fold(const Node& node) {
  Evaluation evaluation;
  evaluation.limit = std::numeric_limits<std::uint64_t>::max();
  const Value value = node.Evaluate(evaluation);
  // What it made ends with the evaluation.
  if (value.kind == Value::Kind::kString) {
    return Value::String(memory_.KeepText(value.text));
  }
  if (value.IsError()) return memory_.Error(value.text);
  return value;
}

NodePtr Planner::MakeConversion(const Expr& expr,
                                std::vector<NodePtr>& operands) {
  const bool fold = operands[0]->Constant() != nullptr;
  NodePtr call =
      NewCall(FindCall(expr.text), RuleOf(expr), std::move(operands));
  if (!fold) return call;
  const Value value = Fold(*call);
  if (value.IsError()) throw ExpressionError(expr.at, std::string(value.text));
  return NewConstant(value);
}

NodePtr Planner::MakeRegex(const Expr& expr, std::vector<NodePtr>& operands) {
  const Value* const pattern = operands[1]->Constant();
  if (!pattern || pattern->kind != Value::Kind::kString) {
    return NewCall(FindCall(expr.text), RuleOf(expr), std::move(operands));
  }
  std::string fault;
  auto regex = ReadRegex(pattern->text, fault);
  if (!regex) {
    throw ExpressionError(expr.operands[1]->at, "bad pattern: " + fault);
  }
  if (expr.text == "matches") {
    return NewMatch(RuleOf(expr), std::move(operands), std::move(regex));
  }
  return NewStoppingCall(FindCall(expr.text), RuleOf(expr),
                         std::move(operands));
}

NodePtr Planner::MakeMembership(const Expr& expr,
                                std::vector<NodePtr>& operands) {
  const Value* const list = operands[1]->Constant();
  if (list && expr.overload && expr.overload->id == "in_list") {
    if (list->List().empty()) return NewConstant(Value::Bool(false));
    const bool simple =
        std::ranges::all_of(list->List(), [](const Value& element) {
          return element.IsNumber() || element.kind == Value::Kind::kBool ||
                 element.kind == Value::Kind::kString;
        });
    if (simple) return NewMembership(std::move(operands[0]), list->List());
  }
  return NewCall(FindCall(expr.text), RuleOf(expr), std::move(operands));
}

// Operators with nodes of their own; nullptr: it is another call.
NodePtr Planner::MakeSpecial(const Expr& expr, std::vector<NodePtr>& operands) {
  const std::string& name = expr.text;
  if (name == names::kAnd || name == names::kOr) {
    return NewLogical(name == names::kAnd, std::move(operands));
  }
  if (name == names::kEqual || name == names::kNotEqual) {
    return NewEquality(name == names::kEqual, std::move(operands[0]),
                       std::move(operands[1]));
  }
  if (name == names::kChoice) {
    std::shared_ptr<Path> yes = PathOf(std::move(operands[1]));
    std::shared_ptr<Path> no = PathOf(std::move(operands[2]));
    return std::make_unique<PathNode>(
        NewChoicePath(std::move(operands[0]), std::move(yes), std::move(no)));
  }
  if (name == names::kNotFalse) return NewNotFalse(std::move(operands[0]));
  if (name == "or" || name == "orValue") {
    return NewOptionalOr(std::move(operands[0]), std::move(operands[1]),
                         name == "orValue");
  }
  if (name == names::kIn) return MakeMembership(expr, operands);
  if (name == "matches" || name == "find" || name == "findAll") {
    return MakeRegex(expr, operands);
  }
  if (std::ranges::find(kConversions, name) != kConversions.end()) {
    return MakeConversion(expr, operands);
  }
  return nullptr;
}

NodePtr Planner::MakeCall(const Expr& expr) {
  if (expr.text == names::kIndex) return MakeIndex(expr, false);
  if (expr.text == names::kOptionalIndex ||
      expr.text == names::kOptionalField) {
    return MakeIndex(expr, true);
  }
  std::vector<NodePtr> operands = MakeAll(expr.operands);
  if (NodePtr special = MakeSpecial(expr, operands)) return special;
  const Call call = FindCall(expr.text);
  assert(call);
  if ((expr.text == "quantity" || expr.text == "semver") &&
      operands.size() == 1 && operands[0]->Constant()) {
    return MakeKnown(call, RuleOf(expr), *operands[0]->Constant());
  }
  // cel-go dispatches a function, other than an operator, by all its operands
  // at once if several overloads can be meant.
  const bool stops = !expr.overload && expr.text[0] >= 'a';
  return stops ? NewStoppingCall(call, RuleOf(expr), std::move(operands))
               : NewCall(call, RuleOf(expr), std::move(operands));
}

// A quantity or a version of a constant is read once.
NodePtr Planner::MakeKnown(Call call, CostRule rule, const Value& operand) {
  Evaluation evaluation;
  Value result = call(evaluation, {&operand, 1});
  if (result.kind == Value::Kind::kQuantity) {
    result.quantity = memory_.Keep(*result.quantity);
  } else if (result.kind == Value::Kind::kSemver) {
    result.version = memory_.Keep(*result.version);
  } else {
    result = memory_.Error(result.text);
  }
  return NewKnownCall(result, CostOf(rule, {&operand, 1}, result));
}

NodePtr Planner::MakeLiteral(const Expr& expr) {
  std::vector<NodePtr> parts = MakeAll(expr.operands);
  const bool map = expr.kind == Expr::Kind::kMap;
  if (!AreConstants(parts)) {
    return map ? NewMap(std::move(parts), expr.optional)
               : NewList(std::move(parts), expr.optional);
  }
  const bool optional =
      std::ranges::find(expr.optional, true) != expr.optional.end();
  if (optional) {
    throw ExpressionError(expr.at, "a constant is not optional");
  }
  const std::span<Value> values = memory_.New<Value>(parts.size());
  std::ranges::transform(parts, values.begin(),
                         [](const NodePtr& part) { return *part->Constant(); });
  return NewConstant(map ? Value::Map(NewLiteralMap(values, memory_))
                         : Value::List(values));
}

NodePtr Planner::MakeLoop(const Expr& expr) {
  LoopParts parts;
  parts.range = Make(*expr.operands[0]);
  parts.init = Make(*expr.operands[1]);
  parts.result_slot = slots_++;
  parts.loop_slot = slots_++;
  scope_.emplace_back(expr.text, parts.result_slot);
  scope_.emplace_back(expr.loop_variable, parts.loop_slot);
  parts.condition = Make(*expr.operands[2]);
  parts.step = Make(*expr.operands[3]);
  scope_.pop_back();
  parts.result = Make(*expr.operands[4]);
  scope_.pop_back();
  return NewLoop(std::move(parts));
}

}  // namespace

Plan MakePlan(const Expr& expr, const std::vector<std::string>& variables,
              Memory& memory) {
  Planner planner(variables, memory);
  Plan plan;
  plan.root = planner.Make(expr);
  plan.slots = planner.slots();
  return plan;
}

}  // namespace fluxnetes::matcher::cel
