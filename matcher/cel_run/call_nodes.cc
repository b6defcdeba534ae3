// Nodes that call functions, and what calls cost.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "matcher/cel_run/node.h"

namespace fluxnetes::matcher::cel {
namespace {

using enum Value::Kind;

std::uint64_t Up(double cost) {
  return static_cast<std::uint64_t>(std::ceil(cost));
}
double SizeAsReal(const Value& value) {
  return static_cast<double>(SizeOf(value));
}

// As k8s.io/apiserver counts it: a text is rounded down, by its bytes.
std::uint64_t Traversal(const Value& value, Memory& memory) {
  memory.Step();
  if (value.kind == kString) {
    return static_cast<std::uint64_t>(static_cast<double>(value.text.size()) *
                                      0.1);
  }
  std::uint64_t cost = 0;
  if (value.kind == kList) {
    for (const Value& element : value.List()) {
      cost += Traversal(element, memory);
    }
    return cost;
  }
  if (value.kind != kMap) return 1;
  for (const Value& key : value.map->Keys(memory)) {
    cost += Traversal(key, memory) +
            Traversal(value.map->Find(key, memory).value_or(Value()), memory);
  }
  return cost;
}

// The operands of a call. With `stops` those behind an error are not evaluated,
// and the call then costs nothing.
class CallOperands {
 public:
  CallOperands(Evaluation& evaluation, const std::vector<NodePtr>& nodes,
               bool stops) {
    for (const NodePtr& node : nodes) {
      Value& value = values_[count_++];
      value = node->Evaluate(evaluation);
      if (!value.IsError()) continue;
      if (!error_) error_ = &value;
      if (stops) break;
    }
    complete_ = count_ == nodes.size();
  }
  CallOperands(const CallOperands&) = delete;
  CallOperands& operator=(const CallOperands&) = delete;

  Operands values() const { return {values_.data(), count_}; }
  const Value* error() const { return error_; }
  bool complete() const { return complete_; }

 private:
  std::array<Value, 4> values_;  // no function has more
  std::size_t count_ = 0;
  const Value* error_ = nullptr;
  bool complete_ = false;
};

std::uint64_t Cost(CostRule rule, Operands operands, const Value& result,
                   Memory& memory) {
  return rule == CostRule::kTraversal ? Traversal(operands[0], memory)
                                      : CostOf(rule, operands, result);
}

class CallNode final : public Node {
 public:
  CallNode(Call call, CostRule rule, std::vector<NodePtr> operands, bool stops)
      : call_(call),
        rule_(rule),
        operands_(std::move(operands)),
        stops_(stops) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const CallOperands operands(evaluation, operands_, stops_);
    const Value result = operands.error()
                             ? *operands.error()
                             : call_(evaluation, operands.values());
    if (operands.complete()) {
      evaluation.Charge(
          Cost(rule_, operands.values(), result, evaluation.memory));
    }
    return result;
  }

 private:
  Call call_;
  CostRule rule_;
  std::vector<NodePtr> operands_;
  bool stops_;
};

class KnownCallNode final : public Node {
 public:
  KnownCallNode(const Value& result, std::uint64_t cost)
      : result_(result), cost_(cost) {}
  Value Evaluate(Evaluation& evaluation) const override {
    evaluation.Charge(cost_);
    return result_;
  }

 private:
  Value result_;
  std::uint64_t cost_;
};

class MatchNode final : public Node {
 public:
  MatchNode(CostRule rule, std::vector<NodePtr> operands,
            std::shared_ptr<const re2::RE2> regex)
      : rule_(rule), operands_(std::move(operands)), regex_(std::move(regex)) {}
  Value Evaluate(Evaluation& evaluation) const override {
    const CallOperands operands(evaluation, operands_, true);
    if (!operands.complete()) return *operands.error();
    const Value result =
        operands.error() ? *operands.error() : Match(operands.values()[0]);
    evaluation.Charge(CostOf(rule_, operands.values(), result));
    return result;
  }

 private:
  Value Match(const Value& value) const {
    if (value.kind != kString) return NoOverload();
    return Value::Bool(re2::RE2::PartialMatch(
        re2::StringPiece(value.text.data(), value.text.size()), *regex_));
  }

  CostRule rule_;
  std::vector<NodePtr> operands_;
  std::shared_ptr<const re2::RE2> regex_;
};

class MembershipNode final : public Node {
 public:
  MembershipNode(NodePtr wanted, std::span<const Value> constants)
      : wanted_(std::move(wanted)), constants_(constants) {
    for (const Value& constant : constants) {
      if (constant.kind == kString) texts_.emplace(constant.text);
    }
  }
  Value Evaluate(Evaluation& evaluation) const override {
    const Value value = wanted_->Evaluate(evaluation);
    if (value.IsError()) return value;
    if (value.kind == kString) return Value::Bool(texts_.contains(value.text));
    if (value.kind == kSemver) {
      throw EvaluationEnded("a version cannot be looked for in a list");
    }
    return Value::Bool(std::ranges::any_of(
        constants_, [&value, &evaluation](const Value& constant) {
          return Equal(constant, value, evaluation.memory).IsTrue();
        }));
  }

 private:
  NodePtr wanted_;
  std::span<const Value> constants_;
  std::set<std::string_view> texts_;
};

}  // namespace

std::uint64_t CostOf(CostRule rule, Operands operands, const Value& result) {
  switch (rule) {
    case CostRule::kFirstText:
      return Up(SizeAsReal(operands[0]) * 0.1);
    case CostRule::kFirstTextTwice:
      return Up(SizeAsReal(operands[0]) * 2 * 0.1);
    case CostRule::kShorterText:
      return Up(std::min(SizeAsReal(operands[0]), SizeAsReal(operands[1])) *
                0.1);
    case CostRule::kBothTexts:
      return Up((SizeAsReal(operands[0]) + SizeAsReal(operands[1])) * 0.1);
    case CostRule::kTextTimesText:
      return Up(SizeAsReal(operands[0]) * 0.1) *
             Up(SizeAsReal(operands[1]) * 0.1);
    case CostRule::kTextTimesRegex:
      return Up((1 + SizeAsReal(operands[0])) * 0.1) *
             Up(SizeAsReal(operands[1]) * 0.25);
    case CostRule::kResultTextTwice:
      return Up(SizeAsReal(result) * 2 * 0.1);
    case CostRule::kSecondSize:
      return SizeOf(operands[1]);
    case CostRule::kOne:
    case CostRule::kTraversal:
      break;
  }
  return 1;
}

NodePtr NewCall(Call call, CostRule rule, std::vector<NodePtr> operands) {
  const bool stops = operands.size() > 2;
  return std::make_unique<CallNode>(call, rule, std::move(operands), stops);
}
NodePtr NewStoppingCall(Call call, CostRule rule,
                        std::vector<NodePtr> operands) {
  return std::make_unique<CallNode>(call, rule, std::move(operands), true);
}
NodePtr NewKnownCall(const Value& result, std::uint64_t cost) {
  return std::make_unique<KnownCallNode>(result, cost);
}
NodePtr NewMatch(CostRule rule, std::vector<NodePtr> operands,
                 std::shared_ptr<const re2::RE2> regex) {
  return std::make_unique<MatchNode>(rule, std::move(operands),
                                     std::move(regex));
}
NodePtr NewMembership(NodePtr wanted, std::span<const Value> constants) {
  return std::make_unique<MembershipNode>(std::move(wanted), constants);
}

}  // namespace fluxnetes::matcher::cel
