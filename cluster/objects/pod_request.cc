#include "cluster/objects/pod_request.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::cluster {
namespace {

// Adds each label's value to the selector as a requirement, once.
void Merge(const PodLabels& labels, const std::vector<std::string>& keys,
           const char* op, std::optional<PodSelector>& selector) {
  if (!selector) return;
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label == labels.end()) continue;
    // A selector in a manifest may not name such a key, so the server has added
    // it.
    const bool done =
        std::ranges::any_of(*selector, [&](const NodeRequirement& requirement) {
          return requirement.key == key && requirement.op == op;
        });
    if (!done) selector->push_back({key, op, {label->second}});
  }
}

void Merge(const PodLabels& labels, PodAffinityTerm& term) {
  Merge(labels, std::exchange(term.match_label_keys, {}), "In", term.selector);
  Merge(labels, std::exchange(term.mismatch_label_keys, {}), "NotIn",
        term.selector);
}

}  // namespace

void MergeLabelKeys(const PodLabels& labels, PodRequest& request) {
  const auto has_keys = [](const PodAffinityTerm& term) {
    return !term.match_label_keys.empty() || !term.mismatch_label_keys.empty();
  };
  const PodRules& now = *request.rules;
  if (std::ranges::none_of(now.affinity, has_keys) &&
      std::ranges::none_of(now.anti_affinity, has_keys) &&
      std::ranges::none_of(now.preferred_pods, has_keys,
                           &PreferredPods::term) &&
      std::ranges::all_of(now.spread, &std::vector<std::string>::empty,
                          &TopologySpread::match_label_keys)) {
    return;
  }
  PodRules& rules = request.rules.Own();
  for (PodAffinityTerm& term : rules.affinity) Merge(labels, term);
  for (PodAffinityTerm& term : rules.anti_affinity) Merge(labels, term);
  for (PreferredPods& each : rules.preferred_pods) Merge(labels, each.term);
  for (TopologySpread& each : rules.spread) {
    Merge(labels, std::exchange(each.match_label_keys, {}), "In",
          each.selector);
  }
}

std::int64_t WholeCpus(const PodRequest& request) {
  const std::int64_t milli = request.resources.cpu_milli;
  return request.guaranteed && milli % 1'000 == 0 ? milli / 1'000 : 0;
}

void PutClaimsInto(const std::string& namespace_name, PodRequest& request) {
  if (request.rules->resource_claims.empty()) return;
  for (RequestedClaim& each : request.rules.Own().resource_claims) {
    if (!each.claim.empty() && each.claim.find('/') == each.claim.npos)
      each.claim = namespace_name + "/" + each.claim;
  }
}

GroupTopology OfGroup(GroupTopology topology) {
  topology.adopted = topology.uncounted = false;
  return topology;
}

PodRequest WithTopology(PodRequest request, const GroupTopology& topology) {
  if (!(request.rules->topology == topology))
    request.rules.Own().topology = topology;
  return request;
}

}  // namespace fluxnetes::cluster
