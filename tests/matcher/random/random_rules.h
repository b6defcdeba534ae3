// Random labels, taints and rules that often concern each other.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "matcher/rules/task_rules.h"

namespace fluxnetes::matcher {

class RandomRules {
 public:
  explicit RandomRules(std::mt19937_64& random) : random_(random) {}

  Labels PickLabels(const std::string& node_name);
  std::vector<Taint> PickTaints();
  TaskRules PickRules();
  std::string PickKey();

  int Pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random_);
  }
  bool Chance(int percent) { return Pick(1, 100) <= percent; }

 private:
  LabelRequirement PickRequirement();
  LabelTerm PickTerm();
  NodeRules PickNodeRules();
  TaskSelector PickSelector();
  AffinityTerm PickAffinity() { return {PickSelector(), PickKey()}; }
  SpreadConstraint PickSpread();

  std::mt19937_64& random_;
};

}  // namespace fluxnetes::matcher
