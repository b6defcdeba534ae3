#include "workers/graph/selected_labels.h"

#include <algorithm>

namespace fluxnetes::workers {
namespace {

constexpr const char* kOther = "*";  // no label can have this value

bool TakesOnlyWithLabel(const cluster::NodeRequirement& requirement) {
  return requirement.op == "In" || requirement.op == "Exists";
}

}  // namespace

bool SelectedLabels::Add(const std::optional<cluster::PodSelector>& selector) {
  if (!selector) return false;
  bool news = false;
  if (!every_pod_ && std::ranges::none_of(*selector, TakesOnlyWithLabel)) {
    every_pod_ = news = true;
  }
  for (const cluster::NodeRequirement& requirement : *selector) {
    const auto [named, added] = values_.try_emplace(requirement.key);
    news |= added;
    for (const std::string& value : requirement.values) {
      news |= named->second.insert(value).second;
    }
  }
  return news;
}

bool SelectedLabels::Add(const cluster::PodRequest& request) {
  const cluster::PodRules& rules = *request.rules;
  bool news = false;
  for (const auto& term : rules.affinity) news |= Add(term.selector);
  for (const auto& term : rules.anti_affinity) news |= Add(term.selector);
  for (const auto& each : rules.preferred_pods) {
    news |= Add(each.term.selector);
  }
  for (const auto& each : rules.spread) news |= Add(each.selector);
  return news;
}

cluster::LabelMap SelectedLabels::Of(const cluster::PodLabels& labels) const {
  cluster::LabelMap selected;
  if (values_.empty()) return selected;
  for (const auto& [key, value] : labels) {
    const auto named = values_.find(key);
    if (named == values_.end()) continue;
    selected[key] = named->second.contains(value) ? value : kOther;
  }
  return selected;
}

}  // namespace fluxnetes::workers
