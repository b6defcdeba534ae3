#include "matcher/rules/node_rules.h"

#include <algorithm>

#include "matcher/rules/node_fields.h"

namespace fluxnetes::matcher {
namespace {

// The number of unused rules that are kept, since the same rules often come
// again.
constexpr std::size_t kUnusedKept = 64;

constexpr int kAbsent = std::numeric_limits<std::int32_t>::min();

}  // namespace

NodeShapes::Term NodeShapes::Compile(const LabelTerm& term) {
  Term compiled;
  for (const LabelRequirement& requirement : term) {
    compiled.push_back({requirement, labels_.texts().Take(requirement.key)});
  }
  return compiled;
}

void NodeShapes::GiveTexts(const Term& term) {
  for (const Requirement& each : term) labels_.texts().Give(each.key);
}

bool NodeShapes::HoldsOn(const Term& term, NodeIndex node) const {
  return std::ranges::all_of(term, [&](const Requirement& requirement) {
    std::string room;
    const std::string* const value =
        requirement.asked.field
            ? FieldOf(requirement.asked.key, labels_.Name(node), room)
            : labels_.Value(node, requirement.key);
    return Holds(requirement.asked, value);
  });
}

ShapeId NodeShapes::Take(const NodeRules& rules) {
  const std::string key = KeyOf(rules);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    Entry& entry = entries_[known->second];
    if (entry.uses++ == 0) std::erase(unused_, known->second);
    return known->second;
  }
  auto id = static_cast<ShapeId>(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  by_key_.emplace(key, id);
  Entry& entry = entries_[id];
  entry.key = key;
  entry.rules = rules;
  entry.uses = 1;
  entry.shape.serial = ++last_serial_;
  LabelTerm selector;
  for (const auto& [label, value] : rules.selector) {
    selector.push_back({label, LabelRequirement::Op::kIn, {value}, false});
  }
  entry.selector = Compile(selector);
  for (const LabelTerm& term : rules.affinity) {
    entry.affinity.push_back(Compile(term));
  }
  for (const auto& each : rules.preferred) {
    entry.preferred.emplace_back(each.weight, Compile(each.term));
  }
  for (NodeIndex node = 0; node < static_cast<int>(present_.size()); ++node) {
    if (present_[node] != 0) Evaluate(entry, node);
  }
  return id;
}

void NodeShapes::Give(ShapeId id) {
  if (--entries_[id].uses > 0) return;
  unused_.push_back(id);
  if (unused_.size() <= kUnusedKept) return;
  Drop(unused_.front());
  unused_.pop_front();
}

void NodeShapes::Drop(ShapeId id) {
  Entry& entry = entries_[id];
  GiveTexts(entry.selector);
  for (const Term& term : entry.affinity) GiveTexts(term);
  for (const auto& each : entry.preferred) GiveTexts(each.second);
  by_key_.erase(entry.key);
  entry = {};
  free_.push_back(id);
}

void NodeShapes::Evaluate(Entry& entry, NodeIndex node) {
  // An empty term matches no node, as in Kubernetes.
  const auto holds = [&](const Term& term) {
    return !term.empty() && HoldsOn(term, node);
  };
  const bool affine =
      HoldsOn(entry.selector, node) &&
      (entry.affinity.empty() || std::ranges::any_of(entry.affinity, holds));
  bool tolerated = true;
  int points = 0;
  for (const Taint& taint : labels_.Taints(node)) {
    const bool fine = std::ranges::any_of(
        entry.rules.tolerations,
        [&](const Toleration& each) { return Tolerates(each, taint); });
    if (fine) continue;
    if (taint.effect == TaintEffect::kPreferNoSchedule) {
      points -= kPreferencePoints;
    } else {
      tolerated = false;
    }
  }
  for (const auto& [weight, term] : entry.preferred) {
    if (holds(term)) points += weight;
  }
  Shape& shape = entry.shape;
  shape.affine.Set(node, affine, orders_);
  shape.tolerated.Set(node, tolerated, orders_);
  shape.allowed.Set(node, affine && tolerated, orders_);
  if (static_cast<std::size_t>(node) >= entry.points.size()) {
    entry.points.resize(present_.size(), kAbsent);
  }
  std::int32_t& before = entry.points[node];
  if (before == points) return;
  if (before != kAbsent) {
    NodeBits& bits = shape.by_points.at(before);
    bits.Set(node, false, orders_);
    if (bits.Count() == 0) shape.by_points.erase(before);
  }
  shape.by_points[points].Set(node, true, orders_);
  before = points;
}

void NodeShapes::Update(NodeIndex node) {
  if (static_cast<std::size_t>(node) >= present_.size()) {
    present_.resize(node + 1);
  }
  present_[node] = 1;
  for (auto& [key, id] : by_key_) Evaluate(entries_[id], node);
}

void NodeShapes::Remove(NodeIndex node) {
  present_[node] = 0;
  for (auto& [key, id] : by_key_) {
    Entry& entry = entries_[id];
    for (NodeBits* bits :
         {&entry.shape.affine, &entry.shape.tolerated, &entry.shape.allowed}) {
      bits->Set(node, false, orders_);
    }
    if (static_cast<std::size_t>(node) >= entry.points.size()) continue;
    std::int32_t& before = entry.points[node];
    if (before == kAbsent) continue;
    entry.shape.by_points.at(before).Set(node, false, orders_);
    before = kAbsent;
  }
}

}  // namespace fluxnetes::matcher
