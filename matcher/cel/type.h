// Types of CEL (its language definition, "Gradual Type Checking"): what an
// expression yields, as far as it is known before it is evaluated.
//
// Plain values; a TypePool owns the types that it makes.
// Tests: tests/matcher/cel/checker_test.cc.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fluxnetes::matcher::cel {

struct Type {
  enum class Kind {
    kDyn,  // known when evaluated
    kAny,  // the same, of attributes of devices
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kList,      // parameters: element
    kMap,       // parameters: key, value
    kOptional,  // parameters: value
    kType,      // parameters: what it is the type of, or none
    kObject,    // `name`
    kVariable,  // to be found out; `name`
  };
  Kind kind;
  std::string name = {};
  std::vector<const Type*> parameters = {};

  bool operator==(const Type& other) const;
  bool IsDyn() const { return kind == Kind::kDyn || kind == Kind::kAny; }
};

std::string ToText(const Type& type);

// Makes and keeps types. A type is given by a text such as "bool",
// "list(string)", "map(A, B)", "optional(A)", "type(A)" or "quantity"; a single
// capital is a variable.
class TypePool {
 public:
  const Type* Make(Type::Kind kind, std::vector<const Type*> parameters = {},
                   std::string name = {});
  const Type* FromText(std::string_view text);

 private:
  const Type* Read(std::string_view& rest);

  std::deque<Type> types_;
};

// What variables stand for, so far.
class TypeBindings {
 public:
  // True if a value of one type can stand where the other is wanted; variables
  // of both are then bound such that it can.
  bool Unify(const Type* one, const Type* other);
  bool UnifyAll(const std::vector<const Type*>& ones,
                const std::vector<const Type*>& others);
  // With bound variables replaced, and those that are not bound by dyn if
  // `complete`.
  const Type* Resolve(const Type* type, TypePool& pool, bool complete) const;

 private:
  bool UnifyParts(const Type* one, const Type* other);
  void Set(const std::string& variable, const Type* type);
  void Undo();
  // Whether `variable` can stand for the type; `bound`: it stands for one.
  bool Bind(const Type* type, const Type* variable, bool& bound);
  bool Occurs(const Type* variable, const Type* within) const;

  std::map<std::string, const Type*> bound_;
  // What was bound before each change of the call under way; nullptr: nothing.
  std::vector<std::pair<std::string, const Type*>> changes_;
};

// The more general of two types that unify.
const Type* MoreGeneral(const Type* one, const Type* other);

}  // namespace fluxnetes::matcher::cel
