#include <fmt/format.h>

#include <algorithm>

#include "matcher/rules/task_book.h"

namespace fluxnetes::matcher {

// Updates whether the node is counted, after it came, went or changed.
void TaskBook::Look(SpreadBase& base, NodeIndex node, bool present) {
  if (base.name.empty()) return;
  const bool before = base.counted.Contains(node);
  NodeShapes::Shape& shape = shapes_[base.shape];
  const bool counted =
      present && (!base.affine || shape.affine.Contains(node)) &&
      (!base.tolerated || shape.tolerated.Contains(node)) &&
      std::ranges::all_of(
          base.keys, [&](KeyId key) { return labels_.Domain(key, node) >= 0; });
  if (before == counted) return;
  base.counted.Set(node, counted, orders_);
  const DomainId domain = labels_.Domain(base.key, node);
  if (static_cast<std::size_t>(domain) >= base.nodes.size()) {
    base.nodes.resize(labels_.domains(base.key));
  }
  std::int32_t& nodes = base.nodes[domain];
  if (counted) {
    if (nodes++ == 0) ++base.domains;
  } else {
    if (--nodes == 0) --base.domains;
  }
}

int TaskBook::TakeBase(SpreadBase&& wanted) {
  std::string name =
      fmt::format("{} {} {} {}", wanted.shape, wanted.affine ? 1 : 0,
                  wanted.tolerated ? 1 : 0, wanted.key);
  for (const KeyId key : wanted.keys) name += fmt::format(" {}", key);
  const auto [place, added] = base_by_name_.try_emplace(name, 0);
  if (!added) {
    ++bases_[place->second].uses;
    return place->second;
  }
  auto id = static_cast<int>(bases_.size());
  if (unused_bases_.empty()) {
    bases_.emplace_back();
  } else {
    id = unused_bases_.back();
    unused_bases_.pop_back();
  }
  place->second = id;
  bases_[id] = std::move(wanted);
  SpreadBase& base = bases_[id];
  base.name = name;
  base.uses = 1;
  for (std::size_t node = 0; node < present_.size(); ++node) {
    if (present_[node] != 0) Look(base, static_cast<NodeIndex>(node), true);
  }
  return id;
}

SpreadId TaskBook::TakeSpread(RulesId id, const SpreadConstraint& constraint,
                              const std::vector<std::string>& keys) {
  const BookedRules& rules = rules_[id];
  SpreadBase base;
  base.shape = rules.shape;
  base.affine = constraint.honor_affinity;
  base.tolerated = constraint.honor_taints;
  base.key = labels_.TakeKey(constraint.topology_key);
  for (const std::string& key : keys) {
    base.keys.push_back(labels_.TakeKey(key));
  }
  base.keys.push_back(labels_.TakeKey(constraint.topology_key));
  std::sort(base.keys.begin(), base.keys.end());
  const std::vector<KeyId> taken = base.keys;

  SpreadId at = spreads();
  if (unused_spreads_.empty()) {
    spreads_.emplace_back();
  } else {
    at = unused_spreads_.back();
    unused_spreads_.pop_back();
  }
  Spread& spread = spreads_[at];
  spread.rules = id;
  spread.key = base.key;
  spread.keys = taken;
  spread.base = TakeBase(std::move(base));
  spread.selector = {constraint.selector, {rules.asked.namespace_name}};
  spread.bound = {constraint.max_skew, constraint.min_domains,
                  Takes(spread.selector, rules.asked) ? 1 : 0,
                  bases_[spread.base].domains};
  spread.now.SetBound(spread.key, spread.bound, space());
  for (const auto& [key, each] : by_key_) {
    if (!Takes(spread.selector, rules_[each].asked)) continue;
    rules_[each].counts_spread.push_back(at);
    ForEachPlaced(each, [&](NodeIndex node, int tasks, bool, bool held) {
      if (held) CountInSpread(at, Stage::kNow, node, tasks);
    });
  }
  return at;
}

void TaskBook::GiveSpread(SpreadId id) {
  Spread& spread = spreads_[id];
  for (const auto& [key, each] : by_key_) {
    std::erase(rules_[each].counts_spread, id);
  }
  for (const KeyId key : spread.keys) labels_.GiveKey(key);
  labels_.GiveKey(spread.key);
  SpreadBase& base = bases_[spread.base];
  if (--base.uses == 0) {
    base_by_name_.erase(base.name);
    base = {};
    unused_bases_.push_back(spread.base);
  }
  spread = {};
  unused_spreads_.push_back(id);
}

}  // namespace fluxnetes::matcher
