// The plan of an expression: a tree of nodes, each of which yields a value.
//
// Fields and indexes are not nodes of their own, but steps of the path of a
// variable or of another value: a.b["c"][?d] is one node.
//
// Tests: tests/matcher/cel_run/program_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/cel_run/calls.h"
#include "matcher/cel_run/evaluation.h"
#include "matcher/cel_run/regex.h"

namespace fluxnetes::matcher::cel {

class Node {
 public:
  virtual ~Node() = default;
  virtual Value Evaluate(Evaluation& evaluation) const = 0;
  // Set if the node is a constant.
  virtual const Value* Constant() const { return nullptr; }
};
using NodePtr = std::unique_ptr<const Node>;

class Path;

// One field or index of a path. The key is a constant, or yielded by a path (of
// which the end is not charged) or a node.
struct PathStep {
  Value key = {};
  std::shared_ptr<const Path> path = {};
  std::shared_ptr<const Node> node = {};
  bool optional = false;
  bool tests_presence = false;
};

// Where a path begins, and its steps.
class Path {
 public:
  virtual ~Path() = default;
  virtual Value Resolve(Evaluation& evaluation) const = 0;
  virtual void Add(std::shared_ptr<const PathStep> step) {
    steps_.push_back(std::move(step));
  }
  // A choice between paths costs nothing itself.
  virtual bool IsChoice() const { return false; }

 protected:
  Value Walk(Evaluation& evaluation, Value value) const;

 private:
  std::vector<std::shared_ptr<const PathStep>> steps_;
};

class PathNode final : public Node {
 public:
  explicit PathNode(std::shared_ptr<Path> path) : path_(std::move(path)) {}
  Value Evaluate(Evaluation& evaluation) const override;
  const std::shared_ptr<Path>& path() const { return path_; }
  void TestPresence() { tests_presence_ = true; }

 private:
  std::shared_ptr<Path> path_;
  bool tests_presence_ = false;
};

std::shared_ptr<Path> NewVariablePath(std::size_t variable);
std::shared_ptr<Path> NewSlotPath(std::size_t slot);
std::shared_ptr<Path> NewValuePath(NodePtr value);
std::shared_ptr<Path> NewChoicePath(NodePtr condition,
                                    std::shared_ptr<Path> yes,
                                    std::shared_ptr<Path> no);

NodePtr NewConstant(const Value& value);
NodePtr NewLogical(bool all, std::vector<NodePtr> operands);
NodePtr NewEquality(bool equal, NodePtr one, NodePtr other);
NodePtr NewList(std::vector<NodePtr> elements, std::vector<bool> optional);
NodePtr NewMap(std::vector<NodePtr> keys_and_values,
               std::vector<bool> optional);
NodePtr NewNotFalse(NodePtr operand);
// x.or(y), and x.orValue(y) with `unwrap`.
NodePtr NewOptionalOr(NodePtr optional, NodePtr other, bool unwrap);

// What a call costs, by its operands and its result.
enum class CostRule : std::uint8_t {
  kOne,
  kFirstText,        // a tenth of the characters of the first operand
  kFirstTextTwice,   // and of a copy of it
  kShorterText,      // a tenth of the smaller operand
  kBothTexts,        // a tenth of both
  kTextTimesText,    // the product of the tenths
  kTextTimesRegex,   // a tenth times a quarter of the pattern
  kResultTextTwice,  // two tenths of the result
  kSecondSize,       // the size of the second operand
  kTraversal,        // all that the first holds
};
std::uint64_t CostOf(CostRule rule, Operands operands, const Value& result);

NodePtr NewCall(Call call, CostRule rule, std::vector<NodePtr> operands);
// The same, but no operand behind an error is evaluated.
NodePtr NewStoppingCall(Call call, CostRule rule,
                        std::vector<NodePtr> operands);
// A call whose result is known, and still costs what it costs.
NodePtr NewKnownCall(const Value& result, std::uint64_t cost);
// `matches` with a constant pattern.
NodePtr NewMatch(CostRule rule, std::vector<NodePtr> operands,
                 std::shared_ptr<const re2::RE2> regex);
// `in` a list of constants, none of which is null, a list or a map.
NodePtr NewMembership(NodePtr wanted, std::span<const Value> constants);

struct LoopParts {
  std::size_t result_slot;
  std::size_t loop_slot;
  NodePtr range, init, condition, step, result;
};
NodePtr NewLoop(LoopParts parts);

}  // namespace fluxnetes::matcher::cel
