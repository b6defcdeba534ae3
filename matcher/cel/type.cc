#include "matcher/cel/type.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace fluxnetes::matcher::cel {
namespace {

using TypeIs = Type::Kind;

constexpr std::array<std::pair<TypeIs, std::string_view>, 12> kKindNames = {{
    {TypeIs::kDyn, "dyn"},
    {TypeIs::kAny, "any"},
    {TypeIs::kNull, "null"},
    {TypeIs::kBool, "bool"},
    {TypeIs::kInt, "int"},
    {TypeIs::kUint, "uint"},
    {TypeIs::kDouble, "double"},
    {TypeIs::kString, "string"},
    {TypeIs::kList, "list"},
    {TypeIs::kMap, "map"},
    {TypeIs::kOptional, "optional"},
    {TypeIs::kType, "type"},
}};

// A type that can be null.
bool HasNull(const Type& type) {
  return type.kind == TypeIs::kNull || type.kind == TypeIs::kOptional ||
         type.kind == TypeIs::kObject || type.kind == TypeIs::kAny;
}

// Whether the first is the other or says less than it.
bool SaysLess(const Type& one, const Type& other) {
  if (one.IsDyn() || one.kind == TypeIs::kVariable) return true;
  if (other.IsDyn() || other.kind == TypeIs::kVariable) return false;
  if (one.kind != other.kind) return false;
  if (one.kind == TypeIs::kType) return true;
  if (one.parameters.empty()) return one == other;
  return std::ranges::equal(
      one.parameters, other.parameters,
      [](const Type* a, const Type* b) { return SaysLess(*a, *b); });
}

}  // namespace

bool Type::operator==(const Type& other) const {
  return kind == other.kind && name == other.name &&
         std::ranges::equal(
             parameters, other.parameters,
             [](const Type* one, const Type* two) { return *one == *two; });
}

std::string ToText(const Type& type) {
  if (!type.name.empty()) return type.name;
  const auto found = std::ranges::find(
      kKindNames, type.kind, &std::pair<TypeIs, std::string_view>::first);
  assert(found != kKindNames.end());
  std::string text(found->second);
  for (std::size_t i = 0; i < type.parameters.size(); ++i) {
    text += i == 0 ? "(" : ", ";
    text += ToText(*type.parameters[i]);
  }
  if (!type.parameters.empty()) text += ")";
  return text;
}

const Type* TypePool::Make(Type::Kind kind, std::vector<const Type*> parameters,
                           std::string name) {
  types_.push_back({kind, std::move(name), std::move(parameters)});
  return &types_.back();
}

const Type* TypePool::FromText(std::string_view text) {
  const Type* const type = Read(text);
  assert(text.empty());
  return type;
}

const Type* TypePool::Read(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of("(), "), rest.size());
  const std::string_view name = rest.substr(0, end);
  rest.remove_prefix(end);
  std::vector<const Type*> parameters;
  if (rest.starts_with("(")) {
    do {
      rest.remove_prefix(1);
      while (rest.starts_with(" ")) rest.remove_prefix(1);
      parameters.push_back(Read(rest));
    } while (rest.starts_with(","));
    rest.remove_prefix(1);
  }
  if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') {
    return Make(TypeIs::kVariable, {}, std::string(name));
  }
  const auto found = std::ranges::find(
      kKindNames, name, &std::pair<TypeIs, std::string_view>::second);
  if (found == kKindNames.end()) {
    return Make(TypeIs::kObject, {}, std::string(name));
  }
  return Make(found->first, std::move(parameters));
}

const Type* MoreGeneral(const Type* one, const Type* other) {
  return SaysLess(*one, *other) ? one : other;
}

void TypeBindings::Set(const std::string& variable, const Type* type) {
  const Type*& bound = bound_[variable];
  changes_.emplace_back(variable, bound);
  bound = type;
}

void TypeBindings::Undo() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const auto& [variable, type] = changes_.back();
    if (type) {
      bound_[variable] = type;
    } else {
      bound_.erase(variable);
    }
  }
}

bool TypeBindings::Unify(const Type* one, const Type* other) {
  return UnifyAll({one}, {other});
}

bool TypeBindings::UnifyAll(const std::vector<const Type*>& ones,
                            const std::vector<const Type*>& others) {
  if (ones.size() != others.size()) return false;
  changes_.clear();
  for (std::size_t i = 0; i < ones.size(); ++i) {
    if (UnifyParts(ones[i], others[i])) continue;
    Undo();
    return false;
  }
  return true;
}

bool TypeBindings::UnifyParts(const Type* one, const Type* other) {
  if (other->kind == TypeIs::kVariable) {
    bool bound = false;
    if (Bind(one, other, bound)) return true;
    if (bound) return false;
  }
  if (one->kind == TypeIs::kVariable) {
    bool bound = false;
    return Bind(other, one, bound);
  }
  if (one->IsDyn() || other->IsDyn()) return true;
  if (one->kind == TypeIs::kNull) return HasNull(*other);
  if (other->kind == TypeIs::kNull) return HasNull(*one);
  if (one->kind != other->kind) return false;
  if (one->kind == TypeIs::kType) return true;
  if (one->name != other->name) return false;
  if (one->parameters.size() != other->parameters.size()) return false;
  for (std::size_t i = 0; i < one->parameters.size(); ++i) {
    if (!UnifyParts(one->parameters[i], other->parameters[i])) return false;
  }
  return true;
}

bool TypeBindings::Bind(const Type* type, const Type* variable, bool& bound) {
  bound = true;
  if (*type == *variable) return true;
  if (const auto found = bound_.find(variable->name); found != bound_.end()) {
    const Type* const so_far = found->second;
    if (*type == *so_far) return true;
    if (!UnifyParts(type, so_far)) return false;
    const Type* const general = MoreGeneral(type, so_far);
    if (!Occurs(variable, general)) Set(variable->name, general);
    return true;
  }
  bound = false;
  if (Occurs(variable, type)) return false;
  Set(variable->name, type);
  return true;
}

bool TypeBindings::Occurs(const Type* variable, const Type* within) const {
  if (*variable == *within) return true;
  if (within->kind == TypeIs::kVariable) {
    const auto found = bound_.find(within->name);
    return found != bound_.end() && Occurs(variable, found->second);
  }
  return std::ranges::any_of(within->parameters, [&](const Type* parameter) {
    return Occurs(variable, parameter);
  });
}

const Type* TypeBindings::Resolve(const Type* type, TypePool& pool,
                                  bool complete) const {
  if (type->kind == TypeIs::kVariable) {
    const auto found = bound_.find(type->name);
    if (found != bound_.end()) return Resolve(found->second, pool, complete);
    return complete ? pool.Make(TypeIs::kDyn) : type;
  }
  if (type->parameters.empty()) return type;
  std::vector<const Type*> parameters;
  for (const Type* parameter : type->parameters) {
    parameters.push_back(Resolve(parameter, pool, complete));
  }
  return pool.Make(type->kind, std::move(parameters), type->name);
}

}  // namespace fluxnetes::matcher::cel
