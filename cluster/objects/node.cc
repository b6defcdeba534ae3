#include "cluster/objects/node.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace fluxnetes::cluster {
namespace {

std::optional<std::int64_t> Integer(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

const std::string* ValueOf(const Node& node,
                           const NodeRequirement& requirement) {
  if (requirement.field) {
    return requirement.key == "metadata.name" ? &node.name : nullptr;
  }
  const auto label = node.labels.find(requirement.key);
  return label == node.labels.end() ? nullptr : &label->second;
}

bool Compares(const std::string& value, const NodeRequirement& requirement) {
  if (requirement.values.size() != 1) return false;
  const auto left = Integer(value);
  const auto right = Integer(requirement.values[0]);
  if (!left || !right) return false;
  return requirement.op == "Gt" ? *left > *right : *left < *right;
}

bool Holds(const Node& node, const NodeRequirement& requirement) {
  const std::string* const value = ValueOf(node, requirement);
  const auto listed = [&] {
    return value != nullptr && std::ranges::find(requirement.values, *value) !=
                                   requirement.values.end();
  };
  if (requirement.op == "In") return listed();
  if (requirement.op == "NotIn") return !listed();
  if (requirement.op == "Exists") return value != nullptr;
  if (requirement.op == "DoesNotExist") return value == nullptr;
  if (requirement.op == "Gt" || requirement.op == "Lt") {
    return value != nullptr && Compares(*value, requirement);
  }
  return false;
}

// An empty term matches no node, as in Kubernetes.
bool Holds(const Node& node, const NodeSelectorTerm& term) {
  return !term.empty() &&
         std::ranges::all_of(term, [&](const NodeRequirement& requirement) {
           return Holds(node, requirement);
         });
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) {
    return false;
  }
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool Tolerated(const Taint& taint, const SharedList<Toleration>& tolerations) {
  return taint.effect == "PreferNoSchedule" ||
         std::ranges::any_of(tolerations, [&](const Toleration& toleration) {
           return Tolerates(toleration, taint);
         });
}

}  // namespace

std::string WhyClosed(const Node& node) {
  if (!node.ready) return "not ready";
  if (node.unschedulable) return "cordoned";
  return "";
}

bool Selects(const std::map<std::string, std::string>& selector,
             const Node& node) {
  return std::ranges::all_of(selector, [&](const auto& wanted) {
    const auto label = node.labels.find(wanted.first);
    return label != node.labels.end() && label->second == wanted.second;
  });
}

bool Admits(const Node& node, const PodRequest& request) {
  if (!Selects(request.node_selector, node)) return false;
  if (!request.node_affinity.empty() &&
      std::ranges::none_of(
          request.node_affinity,
          [&](const NodeSelectorTerm& term) { return Holds(node, term); })) {
    return false;
  }
  return std::ranges::all_of(node.taints, [&](const Taint& taint) {
    return Tolerated(taint, request.tolerations);
  });
}

}  // namespace fluxnetes::cluster
