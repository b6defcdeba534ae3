#include "matcher/rules/task_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "matcher/rules/node_fields.h"

namespace fluxnetes::matcher {
namespace {

std::optional<std::int64_t> Integer(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool Compares(const std::string& value, const LabelRequirement& requirement) {
  if (requirement.values.size() != 1) return false;
  const auto left = Integer(value);
  const auto right = Integer(requirement.values[0]);
  if (!left || !right) return false;
  return requirement.op == LabelRequirement::Op::kGt ? *left > *right
                                                     : *left < *right;
}

bool AllAddresses(const std::string& ip) {
  return ip.empty() || ip == "0.0.0.0";
}

// Text that is distinct for distinct values: lengths precede strings.
class Key {
 public:
  Key& Add(std::string_view text) {
    text_ += fmt::format("{}:{}", text.size(), text);
    return *this;
  }
  Key& Add(std::int64_t number) {
    text_ += fmt::format("{};", number);
    return *this;
  }
  Key& Add(const Labels& labels) {
    Add(static_cast<std::int64_t>(labels.size()));
    for (const auto& [key, value] : labels) Add(key).Add(value);
    return *this;
  }
  Key& Add(const std::vector<std::string>& texts) {
    Add(static_cast<std::int64_t>(texts.size()));
    for (const auto& text : texts) Add(text);
    return *this;
  }
  Key& Add(const LabelTerm& term) {
    Add(static_cast<std::int64_t>(term.size()));
    for (const LabelRequirement& requirement : term) {
      Add(requirement.key).Add(requirement.values);
      Add(static_cast<int>(requirement.op) * 2 + (requirement.field ? 1 : 0));
    }
    return *this;
  }
  Key& Add(const TaskSelector& selector) {
    return Add(selector.labels).Add(selector.namespaces);
  }
  Key& Add(const AffinityTerm& term) {
    return Add(term.selector).Add(term.topology_key);
  }
  Key& Add(const std::vector<AffinityTerm>& terms) {
    Add(static_cast<std::int64_t>(terms.size()));
    for (const AffinityTerm& term : terms) Add(term);
    return *this;
  }
  Key& Add(const HostPort& port) {
    return Add(port.protocol)
        .Add(AllAddresses(port.ip) ? "" : port.ip)
        .Add(port.port);
  }
  Key& Add(const NodeRules& rules) {
    Add(rules.selector).Add(static_cast<std::int64_t>(rules.affinity.size()));
    for (const LabelTerm& term : rules.affinity) Add(term);
    Add(static_cast<std::int64_t>(rules.preferred.size()));
    for (const auto& each : rules.preferred) Add(each.weight).Add(each.term);
    for (const Toleration& each : rules.tolerations) {
      Add(each.key).Add(each.exists ? 1 : 0).Add(each.value);
      Add(each.effect ? static_cast<int>(*each.effect) : -1);
    }
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::optional<LabelRequirement::Op> ParseOp(std::string_view name) {
  using Op = LabelRequirement::Op;
  if (name == "In") return Op::kIn;
  if (name == "NotIn") return Op::kNotIn;
  if (name == "Exists") return Op::kExists;
  if (name == "DoesNotExist") return Op::kDoesNotExist;
  if (name == "Gt") return Op::kGt;
  if (name == "Lt") return Op::kLt;
  return std::nullopt;
}

std::optional<TaintEffect> ParseTaintEffect(std::string_view name) {
  if (name == "NoSchedule") return TaintEffect::kNoSchedule;
  if (name == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (name == "NoExecute") return TaintEffect::kNoExecute;
  return std::nullopt;
}

bool Holds(const LabelRequirement& requirement, const std::string* value) {
  const auto listed = [&] {
    return value != nullptr && std::ranges::find(requirement.values, *value) !=
                                   requirement.values.end();
  };
  switch (requirement.op) {
    case LabelRequirement::Op::kIn:
      return listed();
    case LabelRequirement::Op::kNotIn:
      return !listed();
    case LabelRequirement::Op::kExists:
      return value != nullptr;
    case LabelRequirement::Op::kDoesNotExist:
      return value == nullptr;
    default:
      return value != nullptr && Compares(*value, requirement);
  }
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool Allows(const NodeRules& rules, const std::string& node,
            const Labels& labels, const std::vector<Taint>& taints) {
  const auto holds = [&](const LabelRequirement& requirement) {
    std::string room;
    if (requirement.field)
      return Holds(requirement, FieldOf(requirement.key, node, room));
    const auto label = labels.find(requirement.key);
    return Holds(requirement, label == labels.end() ? nullptr : &label->second);
  };
  const bool selected =
      std::ranges::all_of(rules.selector, [&](const auto& wanted) {
        const auto label = labels.find(wanted.first);
        return label != labels.end() && label->second == wanted.second;
      });
  const bool affine =
      rules.affinity.empty() ||
      std::ranges::any_of(rules.affinity, [&](const LabelTerm& term) {
        return !term.empty() && std::ranges::all_of(term, holds);
      });
  return selected && affine &&
         std::ranges::all_of(taints, [&](const Taint& taint) {
           return taint.effect == TaintEffect::kPreferNoSchedule ||
                  std::ranges::any_of(rules.tolerations,
                                      [&](const Toleration& toleration) {
                                        return Tolerates(toleration, taint);
                                      });
         });
}

bool Takes(const TaskSelector& selector, const TaskRules& task) {
  if (!selector.namespaces.empty() &&
      std::ranges::find(selector.namespaces, task.namespace_name) ==
          selector.namespaces.end()) {
    return false;
  }
  return std::ranges::all_of(
      selector.labels, [&](const LabelRequirement& requirement) {
        const auto label = task.labels.find(requirement.key);
        return Holds(requirement,
                     label == task.labels.end() ? nullptr : &label->second);
      });
}

bool Conflict(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (AllAddresses(a.ip) || AllAddresses(b.ip) || a.ip == b.ip);
}

std::string KeyOf(const NodeRules& rules) { return Key().Add(rules).Take(); }

std::string KeyOf(const TaskSelector& selector) {
  return Key().Add(selector).Take();
}

std::string KeyOf(const HostPort& port) { return Key().Add(port).Take(); }

std::string KeyOf(const TaskRules& rules) {
  Key key;
  key.Add(KeyOf(rules.node)).Add(rules.namespace_name).Add(rules.labels);
  key.Add(rules.affinity).Add(rules.anti_affinity);
  key.Add(static_cast<std::int64_t>(rules.preferred.size()));
  for (const WeightedTerm& each : rules.preferred) {
    key.Add(each.weight).Add(each.term);
  }
  key.Add(static_cast<std::int64_t>(rules.spread.size()));
  for (const SpreadConstraint& each : rules.spread) {
    key.Add(each.topology_key).Add(each.selector).Add(each.max_skew);
    key.Add(each.min_domains);
    key.Add((each.required ? 4 : 0) + (each.honor_affinity ? 2 : 0) +
            (each.honor_taints ? 1 : 0));
  }
  for (const HostPort& each : rules.host_ports) key.Add(each);
  return key.Take();
}

}  // namespace fluxnetes::matcher
