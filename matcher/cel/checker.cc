#include "matcher/cel/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "matcher/cel/functions.h"

namespace fluxnetes::matcher::cel {
namespace {

using TypeKind = Type::Kind;
using Types = std::vector<const Type*>;

// Names of types, which are values.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10>
    kTypeNames = {{{"bool", "type(bool)"},
                   {"double", "type(double)"},
                   {"int", "type(int)"},
                   {"list", "type(list(dyn))"},
                   {"map", "type(map(dyn, dyn))"},
                   {"null_type", "type(null)"},
                   {"string", "type(string)"},
                   {"type", "type(type)"},
                   {"uint", "type(uint)"},
                   {"optional_type", "type(optional(dyn))"}}};
constexpr std::array<std::string_view, 3> kUnsupportedTypes = {
    "bytes", "google.protobuf.Duration", "google.protobuf.Timestamp"};

class Checker {
 public:
  Checker(const Environment& environment, TypePool& pool)
      : environment_(environment), pool_(pool) {}

  void Check(Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral:
        return CheckLiteral(expr);
      case Expr::Kind::kName:
        return CheckName(expr);
      case Expr::Kind::kField:
        return CheckField(expr);
      case Expr::Kind::kCall:
        return CheckCall(expr);
      case Expr::Kind::kList:
        return CheckList(expr);
      case Expr::Kind::kMap:
        return CheckMap(expr);
      case Expr::Kind::kLoop:
        return CheckLoop(expr);
    }
  }

  // Replaces variables in all types found.
  void Complete(Expr& expr) {
    expr.type = bindings_.Resolve(expr.type, pool_, true);
    for (const ExprPtr& operand : expr.operands) {
      if (operand->type) Complete(*operand);
    }
  }

  static void CheckAlike(const Expr& expr);

 private:
  [[noreturn]] static void Fail(const Expr& expr, const std::string& text) {
    throw ExpressionError(expr.at, text);
  }
  const Type* Simple(TypeKind kind) { return pool_.Make(kind); }
  const Type* Variable() {
    return pool_.Make(TypeKind::kVariable, {},
                      "_" + std::to_string(variables_++));
  }
  const Type* Found(const Type* type) {
    return bindings_.Resolve(type, pool_, false);
  }

  void CheckLiteral(Expr& expr);
  void CheckName(Expr& expr);
  void CheckField(Expr& expr);
  const Type* FieldType(const Expr& expr, Expr& operand,
                        const std::string& field, bool optional);
  void CheckCall(Expr& expr);
  bool BecomesQualified(Expr& expr) const;
  void CheckLogical(Expr& expr);
  void ResolveOverload(Expr& expr, const std::vector<Overload>& overloads);
  const Type* Fresh(const Type* type,
                    std::map<std::string, const Type*>& fresh);
  const Type* Join(const Expr& expr, const Type* so_far, const Type* next);
  const Type* ElementType(const Expr& element, bool optional);
  void CheckList(Expr& expr);
  void CheckMap(Expr& expr);
  void CheckLoop(Expr& expr);
  const Type* LoopVariableType(const Expr& range);
  void Require(const Expr& expr, const Type* type);

  const Environment& environment_;
  TypePool& pool_;
  TypeBindings bindings_;
  std::vector<std::pair<std::string, const Type*>> scope_;
  int variables_ = 0;
};

void Checker::CheckLiteral(Expr& expr) {
  constexpr std::array<TypeKind, 6> kKinds = {
      TypeKind::kNull, TypeKind::kBool,   TypeKind::kInt,
      TypeKind::kUint, TypeKind::kDouble, TypeKind::kString};
  expr.type = Simple(kKinds.at(expr.literal.index()));
}

void Checker::CheckName(Expr& expr) {
  const auto local = std::find_if(
      scope_.rbegin(), scope_.rend(),
      [&expr](const auto& variable) { return variable.first == expr.text; });
  if (local != scope_.rend()) {
    expr.type = local->second;
    return;
  }
  const auto found = environment_.variables.find(expr.text);
  if (found != environment_.variables.end()) {
    expr.type = found->second;
    return;
  }
  for (const auto& [name, type] : kTypeNames) {
    if (name != expr.text) continue;
    expr.type = pool_.FromText(type);
    expr.literal = std::string(name);  // tells the planner that it is a type
    return;
  }
  if (std::ranges::find(kUnsupportedTypes, expr.text) !=
      kUnsupportedTypes.end()) {
    Fail(expr, fmt::format("the type {} is not supported", expr.text));
  }
  Fail(expr, fmt::format("there is no variable {}", expr.text));
}

void Checker::CheckField(Expr& expr) {
  const Type* const type = FieldType(expr, *expr.operands[0], expr.text, false);
  expr.type = expr.tests_presence ? Simple(TypeKind::kBool) : Found(type);
}

const Type* Checker::FieldType(const Expr& expr, Expr& operand,
                               const std::string& field, bool optional) {
  Check(operand);
  const Type* type = Found(operand.type);
  if (type->kind == TypeKind::kOptional) {
    optional = true;
    type = type->parameters[0];
  }
  const Type* result = Simple(TypeKind::kDyn);
  if (type->kind == TypeKind::kMap) {
    result = type->parameters[1];
  } else if (type->kind == TypeKind::kVariable) {
    bindings_.Unify(result, type);
  } else if (type->kind == TypeKind::kObject) {
    const auto fields = environment_.fields.find(type->name);
    if (fields == environment_.fields.end() ||
        !fields->second.contains(field)) {
      Fail(expr, fmt::format("{} has no field {}", type->name, field));
    }
    result = fields->second.at(field);
  } else if (!type->IsDyn()) {
    Fail(expr, fmt::format("{} has no fields", ToText(*type)));
  }
  return optional ? pool_.Make(TypeKind::kOptional, {result}) : result;
}

// Turns optional.of(x), which looks like a call of `of` on a variable
// `optional`, into the call that it is.
bool Checker::BecomesQualified(Expr& expr) const {
  std::string name = expr.text;
  for (const Expr* part = expr.operands[0].get();;) {
    name = part->text + "." + name;
    if (part->kind == Expr::Kind::kName) break;
    if (part->kind != Expr::Kind::kField || part->tests_presence) return false;
    part = part->operands[0].get();
  }
  if (IsUnsupportedFunction(name)) {
    Fail(expr, fmt::format("the function {} is not supported", name));
  }
  if (!FindFunction(name)) return false;
  expr.text = name;
  expr.has_target = false;
  expr.operands.erase(expr.operands.begin());
  return true;
}

void Checker::CheckCall(Expr& expr) {
  if (expr.text == names::kOptionalField) {
    const std::string& field = std::get<std::string>(expr.operands[1]->literal);
    const Type* const type = FieldType(expr, *expr.operands[0], field, true);
    expr.type = Found(type);
    expr.operands[1]->type = Simple(TypeKind::kString);
    return;
  }
  if (expr.has_target) BecomesQualified(expr);
  const std::vector<Overload>* const overloads = FindFunction(expr.text);
  if (!overloads) {
    Fail(expr, IsUnsupportedFunction(expr.text)
                   ? fmt::format("the function {} is not supported", expr.text)
                   : fmt::format("there is no function {}", expr.text));
  }
  for (const ExprPtr& operand : expr.operands) Check(*operand);
  if (expr.text == names::kAnd || expr.text == names::kOr) {
    return CheckLogical(expr);
  }
  ResolveOverload(expr, *overloads);
}

void Checker::CheckLogical(Expr& expr) {
  expr.type = Simple(TypeKind::kBool);
  for (const ExprPtr& operand : expr.operands) Require(*operand, expr.type);
}

void Checker::Require(const Expr& expr, const Type* type) {
  if (bindings_.Unify(type, expr.type)) return;
  Fail(expr, fmt::format("expected {} instead of {}", ToText(*Found(type)),
                         ToText(*Found(expr.type))));
}

const Type* Checker::Fresh(const Type* type,
                           std::map<std::string, const Type*>& fresh) {
  if (type->kind == TypeKind::kVariable) {
    const Type*& variable = fresh[type->name];
    if (!variable) variable = Variable();
    return variable;
  }
  if (type->parameters.empty()) return type;
  Types parameters;
  for (const Type* parameter : type->parameters) {
    parameters.push_back(Fresh(parameter, fresh));
  }
  return pool_.Make(type->kind, std::move(parameters), type->name);
}

void Checker::ResolveOverload(Expr& expr,
                              const std::vector<Overload>& overloads) {
  Types given;
  for (const ExprPtr& operand : expr.operands) given.push_back(operand->type);
  int matching = 0;
  for (const Overload& overload : overloads) {
    if (overload.has_target != expr.has_target) continue;
    std::map<std::string, const Type*> fresh;
    Types wanted;
    for (const Type* operand : overload.operands) {
      wanted.push_back(Fresh(operand, fresh));
    }
    const Type* const result = Fresh(overload.result, fresh);
    if (!bindings_.UnifyAll(given, wanted)) continue;
    expr.overload = ++matching == 1 ? &overload : nullptr;
    const Type* const found = Found(result);
    if (!expr.type) {
      expr.type = found;
    } else if (!expr.type->IsDyn() && *found != *expr.type) {
      expr.type = Simple(TypeKind::kDyn);
    }
  }
  if (expr.type) return;
  std::string types;
  for (const Type* type : given) {
    if (!types.empty()) types += ", ";
    types += ToText(*bindings_.Resolve(type, pool_, true));
  }
  Fail(expr, fmt::format("{} cannot be applied to ({})", expr.text, types));
}

const Type* Checker::Join(const Expr& expr, const Type* so_far,
                          const Type* next) {
  if (!so_far) return next;
  if (bindings_.Unify(so_far, next)) return MoreGeneral(so_far, next);
  Fail(expr, fmt::format("expected {} instead of {}", ToText(*Found(so_far)),
                         ToText(*Found(next))));
}

const Type* Checker::ElementType(const Expr& element, bool optional) {
  const Type* const type = element.type;
  if (!optional) return type;
  if (type->kind == TypeKind::kOptional) return type->parameters[0];
  if (!type->IsDyn()) {
    Fail(element, fmt::format("expected optional({0}) instead of {0}",
                              ToText(*Found(type))));
  }
  return type;
}

void Checker::CheckList(Expr& expr) {
  const Type* elements = nullptr;
  for (std::size_t i = 0; i < expr.operands.size(); ++i) {
    Check(*expr.operands[i]);
    elements = Join(*expr.operands[i], elements,
                    ElementType(*expr.operands[i], expr.optional[i]));
  }
  expr.type = pool_.Make(TypeKind::kList, {elements ? elements : Variable()});
}

void Checker::CheckMap(Expr& expr) {
  const Type* keys = nullptr;
  const Type* values = nullptr;
  for (std::size_t i = 0; i < expr.operands.size(); i += 2) {
    Expr& key = *expr.operands[i];
    Expr& value = *expr.operands[i + 1];
    Check(key);
    keys = Join(key, keys, key.type);
    Check(value);
    values = Join(value, values, ElementType(value, expr.optional[i / 2]));
  }
  expr.type = pool_.Make(
      TypeKind::kMap, {keys ? keys : Variable(), values ? values : Variable()});
}

const Type* Checker::LoopVariableType(const Expr& range) {
  const Type* const type = Found(range.type);
  switch (type->kind) {
    case TypeKind::kList:
    case TypeKind::kMap:
      return type->parameters[0];
    case TypeKind::kVariable:
      bindings_.Unify(Simple(TypeKind::kDyn), type);
      return Simple(TypeKind::kDyn);
    case TypeKind::kDyn:
      return Simple(TypeKind::kDyn);
    default:
      Fail(range, fmt::format("{} is neither a list nor a map", ToText(*type)));
  }
}

void Checker::CheckLoop(Expr& expr) {
  Expr& range = *expr.operands[0];
  Expr& init = *expr.operands[1];
  Check(range);
  Check(init);
  const Type* const element = LoopVariableType(range);
  const Type* const result = init.type;
  scope_.emplace_back(expr.text, result);
  scope_.emplace_back(expr.loop_variable, element);
  Check(*expr.operands[2]);
  Require(*expr.operands[2], Simple(TypeKind::kBool));
  Check(*expr.operands[3]);
  Require(*expr.operands[3], result);
  scope_.pop_back();
  Check(*expr.operands[4]);
  scope_.pop_back();
  expr.type = Found(expr.operands[4]->type);
}

// Elements of one literal have one type, and so have keys and values.
void Checker::CheckAlike(const Expr& expr) {
  for (const ExprPtr& operand : expr.operands) CheckAlike(*operand);
  const bool map = expr.kind == Expr::Kind::kMap;
  if (!map && expr.kind != Expr::Kind::kList) return;
  const std::size_t step = map ? 2 : 1;
  const auto type_of = [&](std::size_t i) {
    const Type* const type = expr.operands[i]->type;
    const bool unwrap = (!map || i % 2 == 1) && expr.optional[i / step] &&
                        !type->parameters.empty();
    return unwrap ? type->parameters[0] : type;
  };
  for (std::size_t i = step; i < expr.operands.size(); ++i) {
    const Type& wanted = *type_of(i % step);
    const Type& type = *type_of(i);
    if (wanted == type) continue;
    Fail(*expr.operands[i], fmt::format("expected {} instead of {}",
                                        ToText(wanted), ToText(type)));
  }
}

}  // namespace

void CheckTypes(Expr& expr, const Environment& environment, TypePool& pool) {
  Checker checker(environment, pool);
  checker.Check(expr);
  checker.Complete(expr);
  Checker::CheckAlike(expr);
}

}  // namespace fluxnetes::matcher::cel
