#include "tests/matcher/plain/plain_rules.h"

#include <algorithm>
#include <map>

namespace fluxnetes::matcher {
namespace {

bool HoldsOn(const PlainLabelledNode& node, const LabelTerm& term) {
  return std::all_of(term.begin(), term.end(), [&](const auto& requirement) {
    const std::string* value = nullptr;
    const auto label = node.labels.find(requirement.key);
    if (requirement.field) {
      if (requirement.key == "metadata.name") value = &node.name;
    } else if (label != node.labels.end()) {
      value = &label->second;
    }
    return Holds(requirement, value);
  });
}

bool TakenByAll(const std::vector<AffinityTerm>& terms, const TaskRules& task) {
  return std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
    return Takes(term.selector, task);
  });
}

bool SameDomain(const PlacedRules& around, NodeIndex a, NodeIndex b,
                const std::string& key) {
  const auto domain = DomainOf(around, a, key);
  return domain && domain == DomainOf(around, b, key);
}

bool Near(const PlacedRules& around, NodeIndex node, const TaskSelector& who,
          const std::string& key) {
  return std::any_of(around.present.begin(), around.present.end(),
                     [&](const PlacedTask& other) {
                       return other.rules != nullptr &&
                              Takes(who, *other.rules) &&
                              SameDomain(around, node, other.node, key);
                     });
}

bool Counted(const PlainLabelledNode& node, const SpreadConstraint& constraint,
             const TaskRules& rules) {
  if (!node.present) return false;
  if (constraint.honor_affinity && !Affine(node, rules.node)) return false;
  if (constraint.honor_taints && !Tolerated(node, rules.node)) return false;
  if (!node.labels.contains(constraint.topology_key)) return false;
  return std::all_of(
      rules.spread.begin(), rules.spread.end(), [&](const auto& each) {
        return !each.required || node.labels.contains(each.topology_key);
      });
}

bool BreaksSpread(const PlacedRules& around, NodeIndex node,
                  const SpreadConstraint& constraint, const TaskRules& rules) {
  const auto domain = DomainOf(around, node, constraint.topology_key);
  if (!domain) return true;
  const TaskSelector selector{constraint.selector, {rules.namespace_name}};
  std::map<std::string, int> counts;
  for (const PlainLabelledNode& each : *around.nodes) {
    if (!Counted(each, constraint, rules)) continue;
    counts.try_emplace(each.labels.at(constraint.topology_key), 0);
  }
  for (const PlacedTask& task : around.present) {
    const PlainLabelledNode& on = (*around.nodes)[task.node];
    if (task.rules == nullptr || !Takes(selector, *task.rules) ||
        !Counted(on, constraint, rules)) {
      continue;
    }
    ++counts[on.labels.at(constraint.topology_key)];
  }
  int least = counts.empty() ? 0 : counts.begin()->second;
  for (const auto& [name, count] : counts) least = std::min(least, count);
  if (static_cast<int>(counts.size()) < constraint.min_domains) least = 0;
  const int self = Takes(selector, rules) ? 1 : 0;
  const int here = counts.contains(*domain) ? counts.at(*domain) : 0;
  return here + self - least > constraint.max_skew;
}

}  // namespace

std::optional<std::string> DomainOf(const PlacedRules& around, NodeIndex node,
                                    const std::string& key) {
  const PlainLabelledNode& labelled = (*around.nodes)[node];
  const auto label = labelled.labels.find(key);
  if (!labelled.present || label == labelled.labels.end()) return {};
  return label->second;
}

bool Affine(const PlainLabelledNode& node, const NodeRules& rules) {
  for (const auto& [key, value] : rules.selector) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return false;
  }
  return rules.affinity.empty() ||
         std::any_of(rules.affinity.begin(), rules.affinity.end(),
                     [&](const LabelTerm& term) {
                       return !term.empty() && HoldsOn(node, term);
                     });
}

bool Tolerated(const PlainLabelledNode& node, const NodeRules& rules) {
  return std::all_of(
      node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
        return taint.effect == TaintEffect::kPreferNoSchedule ||
               std::any_of(rules.tolerations.begin(), rules.tolerations.end(),
                           [&](const Toleration& toleration) {
                             return Tolerates(toleration, taint);
                           });
      });
}

bool StartsSeries(const PlacedRules& around, const TaskRules& rules) {
  if (rules.affinity.empty() || !TakenByAll(rules.affinity, rules)) {
    return false;
  }
  for (const PlacedTask& other : around.present) {
    if (other.rules == nullptr) continue;
    if (!TakenByAll(rules.affinity, *other.rules)) continue;
    for (const AffinityTerm& term : rules.affinity) {
      if (DomainOf(around, other.node, term.topology_key)) return false;
    }
  }
  return true;
}

bool PortsInUse(const PlacedRules& around, NodeIndex node,
                const TaskRules& rules) {
  for (const PlacedTask& other : around.blocking) {
    if (other.rules == nullptr || other.node != node) continue;
    for (const HostPort& mine : rules.host_ports) {
      for (const HostPort& theirs : other.rules->host_ports) {
        if (Conflict(mine, theirs)) return true;
      }
    }
  }
  return false;
}

bool KeptApart(const PlacedRules& around, NodeIndex node,
               const TaskRules& rules) {
  const auto apart = [&](const PlacedTask& other, const TaskRules& keeper,
                         const TaskRules& kept) {
    return std::any_of(keeper.anti_affinity.begin(), keeper.anti_affinity.end(),
                       [&](const AffinityTerm& term) {
                         return Takes(term.selector, kept) &&
                                SameDomain(around, node, other.node,
                                           term.topology_key);
                       });
  };
  return std::any_of(around.blocking.begin(), around.blocking.end(),
                     [&](const PlacedTask& other) {
                       return other.rules != nullptr &&
                              (apart(other, rules, *other.rules) ||
                               apart(other, *other.rules, rules));
                     });
}

bool HasWhatItNeeds(const PlacedRules& around, NodeIndex node,
                    const TaskRules& rules) {
  if (around.empty && !TakenByAll(rules.affinity, rules)) return true;
  const bool starts = StartsSeries(around, rules);
  return std::all_of(
      rules.affinity.begin(), rules.affinity.end(), [&](const auto& term) {
        if (starts)
          return DomainOf(around, node, term.topology_key).has_value();
        return std::any_of(around.present.begin(), around.present.end(),
                           [&](const PlacedTask& other) {
                             return other.rules != nullptr &&
                                    TakenByAll(rules.affinity, *other.rules) &&
                                    SameDomain(around, node, other.node,
                                               term.topology_key);
                           });
      });
}

bool BreaksAnySpread(const PlacedRules& around, NodeIndex node,
                     const TaskRules& rules) {
  return std::any_of(rules.spread.begin(), rules.spread.end(),
                     [&](const SpreadConstraint& each) {
                       return each.required &&
                              BreaksSpread(around, node, each, rules);
                     });
}

bool Admits(const PlacedRules& around, NodeIndex node, const TaskRules& rules) {
  const PlainLabelledNode& labelled = (*around.nodes)[node];
  if (!Affine(labelled, rules.node) || !Tolerated(labelled, rules.node)) {
    return false;
  }
  if (PortsInUse(around, node, rules)) return false;
  if (KeptApart(around, node, rules)) return false;
  if (!HasWhatItNeeds(around, node, rules)) return false;
  return around.empty || !BreaksAnySpread(around, node, rules);
}

int Points(const PlacedRules& around, NodeIndex node, const TaskRules& rules) {
  const PlainLabelledNode& labelled = (*around.nodes)[node];
  int points = 0;
  for (const auto& each : rules.node.preferred) {
    if (!each.term.empty() && HoldsOn(labelled, each.term)) {
      points += each.weight;
    }
  }
  for (const Taint& taint : labelled.taints) {
    if (taint.effect != TaintEffect::kPreferNoSchedule) continue;
    const bool fine = std::any_of(
        rules.node.tolerations.begin(), rules.node.tolerations.end(),
        [&](const Toleration& each) { return Tolerates(each, taint); });
    if (!fine) points -= kPreferencePoints;
  }
  if (around.empty) return points;
  for (const WeightedTerm& each : rules.preferred) {
    if (Near(around, node, each.term.selector, each.term.topology_key)) {
      points += each.weight;
    }
  }
  for (const SpreadConstraint& each : rules.spread) {
    if (!each.required && BreaksSpread(around, node, each, rules)) {
      points -= kPreferencePoints;
    }
  }
  return points;
}

}  // namespace fluxnetes::matcher
