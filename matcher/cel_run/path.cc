// Paths: what fields and indexes find, and what that costs.
#include <fmt/format.h>

#include <limits>

#include "matcher/cel_run/node.h"

namespace fluxnetes::matcher::cel {
namespace {

using enum Value::Kind;

Value NoKey(Evaluation& evaluation, const Value& key) {
  if (key.kind == kString) {
    return evaluation.memory.Error(
        fmt::format("there is no key '{}'", key.text.substr(0, 100)));
  }
  return Value::Error("there is no such key");
}

bool IsKey(const Value& key) {
  return key.IsNumber() || key.kind == kBool || key.kind == kString;
}

// The place in a list that a number means; nothing: it is none.
std::optional<std::int64_t> PlaceOf(const Value& key) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (key.kind == kInt) return key.integer;
  if (key.kind == kUint && key.natural <= kMost) {
    return static_cast<std::int64_t>(key.natural);
  }
  if (key.kind == kDouble && key.real > -0x1p63 && key.real < 0x1p63) {
    const auto place = static_cast<std::int64_t>(key.real);
    if (static_cast<double>(place) == key.real) return place;
  }
  return std::nullopt;
}

struct Step {
  Value value = {};
  bool present = false;
};

Step Found(const Value& value) { return {value, !value.IsError()}; }
Step Absent(bool allowed, const Value& error) {
  return {allowed ? Value() : error, false};
}

// `may_lack`: a key that is not there is no error.
Step Look(Evaluation& evaluation, const Value& whole, const Value& key,
          bool may_lack) {
  if (whole.IsError()) return Found(whole);
  if (whole.kind == kMap) {
    if (const auto value = whole.map->Find(key, evaluation.memory)) {
      return Found(*value);
    }
    return Absent(may_lack, NoKey(evaluation, key));
  }
  if (whole.kind == kList) {
    const auto place = PlaceOf(key);
    if (!place) return Found(Value::Error("a list needs an int as its index"));
    const std::span<const Value> list = whole.List();
    if (*place >= 0 && static_cast<std::size_t>(*place) < list.size()) {
      return Found(list[static_cast<std::size_t>(*place)]);
    }
    return Absent(may_lack, evaluation.memory.Error(fmt::format(
                                "the index {} is out of range", *place)));
  }
  return Absent(may_lack, NoKey(evaluation, key));
}

Value KeyOf(Evaluation& evaluation, const PathStep& step) {
  if (!step.path && !step.node) return step.key;
  const Value key = step.path ? step.path->Resolve(evaluation)
                              : step.node->Evaluate(evaluation);
  if (key.IsError() || IsKey(key)) return key;
  return Value::Error("a value of this type cannot be a key");
}

Step Take(Evaluation& evaluation, const PathStep& step, const Value& whole,
          bool optional) {
  const Value key = KeyOf(evaluation, step);
  Step found = key.IsError() ? Found(key)
                             : Look(evaluation, whole, key,
                                    optional || step.tests_presence);
  const bool failed = found.value.IsError();
  if (optional) {
    if (found.present) evaluation.Charge(1);
    return found;
  }
  evaluation.Charge(1);
  if (step.tests_presence && !failed) {
    found = {Value::Bool(found.present), true};
  }
  return found;
}

// Kubernetes reads what an optional value holds in its native form, in which it
// has no quantities and versions, and no types but by their names.
Value Native(Evaluation& evaluation, const Value& value) {
  switch (value.kind) {
    case kQuantity:
    case kSemver:
      return Value::Error("the optional quantity or version cannot be read");
    case kType:
      return Value::String(value.text);
    case kOptional:
      return value.held ? Native(evaluation, *value.held) : Value::Null();
    default:
      return value;
  }
}

}  // namespace

Value Path::Walk(Evaluation& evaluation, Value value) const {
  bool optional = value.kind == kOptional;
  if (optional) {
    if (!value.held) return value;
    value = Native(evaluation, *value.held);
  }
  for (const auto& step : steps_) {
    optional = optional || step->optional;
    const Step found = Take(evaluation, *step, value, optional);
    if (found.value.IsError()) return found.value;
    if (optional && !found.present) return Value::Optional(nullptr);
    value = found.value;
  }
  return optional ? Value::Optional(evaluation.memory.Keep(value)) : value;
}

Value PathNode::Evaluate(Evaluation& evaluation) const {
  Value value = path_->Resolve(evaluation);
  if (!path_->IsChoice()) evaluation.Charge(1);
  if (!tests_presence_) return value;
  --evaluation.cost;
  if (value.kind == kOptional) return Value::Bool(value.held != nullptr);
  return value;
}

namespace {

class VariablePath final : public Path {
 public:
  explicit VariablePath(std::size_t variable) : variable_(variable) {}
  Value Resolve(Evaluation& evaluation) const override {
    return Walk(evaluation, evaluation.variables[variable_]);
  }

 private:
  std::size_t variable_;
};

class SlotPath final : public Path {
 public:
  explicit SlotPath(std::size_t slot) : slot_(slot) {}
  Value Resolve(Evaluation& evaluation) const override {
    Slot& slot = evaluation.slots[slot_];
    if (slot.init) {
      const Node* const init = std::exchange(slot.init, nullptr);
      slot.value = init->Evaluate(evaluation);
    }
    if (slot.value.IsError()) return slot.value;
    return Walk(evaluation, slot.value);
  }

 private:
  std::size_t slot_;
};

class ValuePath final : public Path {
 public:
  explicit ValuePath(NodePtr value) : value_(std::move(value)) {}
  Value Resolve(Evaluation& evaluation) const override {
    const Value value = value_->Evaluate(evaluation);
    return value.IsError() ? value : Walk(evaluation, value);
  }

 private:
  NodePtr value_;
};

class ChoicePath final : public Path {
 public:
  ChoicePath(NodePtr condition, std::shared_ptr<Path> yes,
             std::shared_ptr<Path> no)
      : condition_(std::move(condition)),
        yes_(std::move(yes)),
        no_(std::move(no)) {}
  Value Resolve(Evaluation& evaluation) const override {
    const Value condition = condition_->Evaluate(evaluation);
    if (condition.IsTrue()) return yes_->Resolve(evaluation);
    if (condition.IsFalse()) return no_->Resolve(evaluation);
    return condition.IsError() ? condition : NoOverload();
  }
  void Add(std::shared_ptr<const PathStep> step) override {
    yes_->Add(step);
    no_->Add(std::move(step));
  }
  bool IsChoice() const override { return true; }

 private:
  NodePtr condition_;
  std::shared_ptr<Path> yes_;
  std::shared_ptr<Path> no_;
};

}  // namespace

std::shared_ptr<Path> NewVariablePath(std::size_t variable) {
  return std::make_shared<VariablePath>(variable);
}
std::shared_ptr<Path> NewSlotPath(std::size_t slot) {
  return std::make_shared<SlotPath>(slot);
}
std::shared_ptr<Path> NewValuePath(NodePtr value) {
  return std::make_shared<ValuePath>(std::move(value));
}
std::shared_ptr<Path> NewChoicePath(NodePtr condition,
                                    std::shared_ptr<Path> yes,
                                    std::shared_ptr<Path> no) {
  return std::make_shared<ChoicePath>(std::move(condition), std::move(yes),
                                      std::move(no));
}

}  // namespace fluxnetes::matcher::cel
