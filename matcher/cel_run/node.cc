#include "matcher/cel_run/node.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fluxnetes::matcher::cel {
namespace {

using enum Value::Kind;

constexpr std::uint64_t kListCost = 10;
constexpr std::uint64_t kMapCost = 30;

class ConstantNode final : public Node {
 public:
  explicit ConstantNode(const Value& value) : value_(value) {}
  Value Evaluate(Evaluation&) const override { return value_; }
  const Value* Constant() const override { return &value_; }

 private:
  Value value_;
};

// && and ||: an operand that decides makes up for errors in others.
class LogicalNode final : public Node {
 public:
  LogicalNode(bool all, std::vector<NodePtr> operands)
      : all_(all), operands_(std::move(operands)) {}
  Value Evaluate(Evaluation& evaluation) const override {
    Value result = Value::Bool(all_);
    for (const NodePtr& operand : operands_) {
      const Value value = operand->Evaluate(evaluation);
      if (value.kind == kBool) {
        if (value.boolean != all_) return value;
      } else if (!result.IsError()) {
        result = value.IsError() ? value : NoOverload();
      }
    }
    return result;
  }

 private:
  bool all_;
  std::vector<NodePtr> operands_;
};

class EqualityNode final : public Node {
 public:
  EqualityNode(bool equal, NodePtr one, NodePtr other)
      : equal_(equal), one_(std::move(one)), other_(std::move(other)) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const std::array<Value, 2> operands = {one_->Evaluate(evaluation),
                                           other_->Evaluate(evaluation)};
    const Value::Kind kind = operands[0].kind;
    const bool one = equal_ && (kind == kQuantity || kind == kSemver);
    evaluation.Charge(one ? 1
                          : CostOf(CostRule::kShorterText, operands, Value()));
    for (const Value& operand : operands) {
      if (operand.IsError()) return operand;
    }
    const Value equal = Equal(operands[0], operands[1], evaluation.memory);
    return equal_ ? equal : Value::Bool(!equal.IsTrue());
  }

 private:
  bool equal_;
  NodePtr one_;
  NodePtr other_;
};

class ListNode final : public Node {
 public:
  ListNode(std::vector<NodePtr> elements, std::vector<bool> optional)
      : elements_(std::move(elements)), optional_(std::move(optional)) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const Value list = Make(evaluation);
    evaluation.Charge(kListCost);
    return list;
  }

 private:
  Value Make(Evaluation& evaluation) const {
    const std::span<Value> made =
        evaluation.memory.New<Value>(elements_.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      Value value = elements_[i]->Evaluate(evaluation);
      if (value.IsError()) return value;
      if (optional_[i]) {
        if (value.kind != kOptional) return Value::Error("not an optional");
        if (!value.held) continue;
        value = *value.held;
      }
      made[count++] = value;
    }
    return Value::List(made.first(count));
  }

  std::vector<NodePtr> elements_;
  std::vector<bool> optional_;
};

class MapNode final : public Node {
 public:
  MapNode(std::vector<NodePtr> parts, std::vector<bool> optional)
      : parts_(std::move(parts)), optional_(std::move(optional)) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const Value map = Make(evaluation);
    evaluation.Charge(kMapCost);
    return map;
  }

 private:
  Value Make(Evaluation& evaluation) const {
    const std::span<Value> made = evaluation.memory.New<Value>(parts_.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < parts_.size(); i += 2) {
      const Value key = parts_[i]->Evaluate(evaluation);
      if (key.IsError()) return key;
      Value value = parts_[i + 1]->Evaluate(evaluation);
      if (value.IsError()) return value;
      if (optional_[i / 2]) {
        if (value.kind != kOptional) return Value::Error("not an optional");
        if (!value.held) continue;
        value = *value.held;
      }
      made[count++] = key;
      made[count++] = value;
    }
    return Value::Map(NewLiteralMap(made.first(count), evaluation.memory));
  }

  std::vector<NodePtr> parts_;
  std::vector<bool> optional_;
};

// The condition of all and exists: an error does not end them.
class NotFalseNode final : public Node {
 public:
  explicit NotFalseNode(NodePtr operand) : operand_(std::move(operand)) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const Value value = operand_->Evaluate(evaluation);
    evaluation.Charge(1);
    return Value::Bool(!value.IsFalse());
  }

 private:
  NodePtr operand_;
};

class OptionalOrNode final : public Node {
 public:
  OptionalOrNode(NodePtr optional, NodePtr other, bool unwrap)
      : optional_(std::move(optional)),
        other_(std::move(other)),
        unwrap_(unwrap) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const Value value = optional_->Evaluate(evaluation);
    if (value.kind != kOptional) return value;
    if (!value.held) return other_->Evaluate(evaluation);
    return unwrap_ ? *value.held : value;
  }

 private:
  NodePtr optional_;
  NodePtr other_;
  bool unwrap_;
};

class LoopNode final : public Node {
 public:
  explicit LoopNode(LoopParts parts) : parts_(std::move(parts)) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const Value range = parts_.range->Evaluate(evaluation);
    std::span<const Value> elements;
    if (range.kind == kList) {
      elements = range.List();
    } else if (range.kind == kMap) {
      elements = range.map->Keys(evaluation.memory);
    } else {
      return range.IsError() ? range
                             : Value::Error("the range is no list and no map");
    }
    Slot& result = evaluation.slots[parts_.result_slot];
    result.init = parts_.init.get();
    for (const Value& element : elements) {
      evaluation.memory.Step();
      evaluation.slots[parts_.loop_slot] = {element, nullptr};
      if (parts_.condition->Evaluate(evaluation).IsFalse()) break;
      const Value next = parts_.step->Evaluate(evaluation);
      result = {next, nullptr};
    }
    return parts_.result->Evaluate(evaluation);
  }

 private:
  LoopParts parts_;
};

}  // namespace

NodePtr NewConstant(const Value& value) {
  return std::make_unique<ConstantNode>(value);
}
NodePtr NewLogical(bool all, std::vector<NodePtr> operands) {
  return std::make_unique<LogicalNode>(all, std::move(operands));
}
NodePtr NewEquality(bool equal, NodePtr one, NodePtr other) {
  return std::make_unique<EqualityNode>(equal, std::move(one),
                                        std::move(other));
}
NodePtr NewList(std::vector<NodePtr> elements, std::vector<bool> optional) {
  return std::make_unique<ListNode>(std::move(elements), std::move(optional));
}
NodePtr NewMap(std::vector<NodePtr> keys_and_values,
               std::vector<bool> optional) {
  return std::make_unique<MapNode>(std::move(keys_and_values),
                                   std::move(optional));
}
NodePtr NewNotFalse(NodePtr operand) {
  return std::make_unique<NotFalseNode>(std::move(operand));
}
NodePtr NewOptionalOr(NodePtr optional, NodePtr other, bool unwrap) {
  return std::make_unique<OptionalOrNode>(std::move(optional), std::move(other),
                                          unwrap);
}
NodePtr NewLoop(LoopParts parts) {
  return std::make_unique<LoopNode>(std::move(parts));
}

}  // namespace fluxnetes::matcher::cel
