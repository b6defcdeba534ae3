#include "workers/graph/interned_requests.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "cluster/json/request_json.h"
#include "matcher/node_devices/node_devices.h"
#include "workers/labels/device_claims.h"
#include "workers/labels/device_counts.h"
#include "workers/labels/inside_labels.h"

namespace fluxnetes::workers {
namespace {

using Request = InternedRequests::Request;

std::string KeyOf(const std::string& json, const std::string& namespace_name,
                  const cluster::PodLabels& labels) {
  std::string key = json;
  key.append(1, '\0').append(namespace_name);
  for (const auto& [label, value] : labels) {
    key.append(1, '\0').append(label).append(1, '\0').append(value);
  }
  return key;
}

}  // namespace

InternedRequests::Entry& InternedRequests::Add(
    std::string key, const cluster::PodRequest& request) {
  Entry& entry = by_key_[key];
  entry.key = std::move(key);
  entry.request = request;
  entry.number = ++last_number_;
  entry.looks_at_pods = LooksAtPods(request);
  entries_.emplace(&entry.request, &entry);
  return entry;
}

void InternedRequests::Count(Entry& entry) const {
  const cluster::Resources& resources = entry.request.resources;
  cluster::Resources of_nodes = OfNodes(resources);
  cluster::Resources counted = resources;
  if (!entry.request.rules->resource_claims.empty()) {
    const DeviceCounts devices = CountDevices(entry.request);
    for (const auto& [name, amount] : devices.own)
      counted.SetExtended(name, amount);
    for (const auto& [claim, amounts] : devices.shared) {
      cluster::Resources once;
      for (const auto& [name, amount] : amounts) once.SetExtended(name, amount);
      entry.shared[claim] = amounts_(once);
    }
  }
  entry.amounts = amounts_(of_nodes);
  if (counted != of_nodes) entry.counted = amounts_(counted);
}

Request InternedRequests::Intern(const std::string& json) {
  const auto found = by_key_.find(json);
  if (found != by_key_.end()) return &found->second.request;
  Entry& entry = Add(json, cluster::PodRequestFromJson(json));
  Count(entry);
  if (WhyUnsupported(entry.request).empty() && selected_.Add(entry.request)) {
    news_ = true;
  }
  return &entry.request;
}

Request InternedRequests::Of(Request request, const std::string& namespace_name,
                             const cluster::PodLabels& labels) {
  const Entry* plain = entries_.at(request);
  if (plain->plain != nullptr) plain = plain->plain;
  if (!plain->looks_at_pods && !selected_.Any()) return &plain->request;
  cluster::LabelMap seen = selected_.Of(labels);
  if (!plain->looks_at_pods && seen.empty() && !selected_.EveryPod()) {
    return &plain->request;
  }
  std::string key = KeyOf(plain->key, namespace_name, seen);
  std::optional<cluster::PodRequest> resolved;
  if (plain->looks_at_pods && SelectsNamespaces(plain->request)) {
    resolved = WithNamespaces(plain->request, namespaces_);
    key.append(2, '\0').append(cluster::ToJson(*resolved));
  }
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) return &found->second.request;
  Entry& entry = Add(std::move(key), resolved ? *resolved : plain->request);
  entry.amounts = plain->amounts;
  entry.counted = plain->counted;
  entry.shared = plain->shared;
  entry.plain = plain;
  entry.namespace_name = namespace_name;
  entry.labels = std::move(seen);
  return &entry.request;
}

void InternedRequests::SetNamespaces(Namespaces namespaces) {
  namespaces_ = std::move(namespaces);
  news_ |= std::ranges::any_of(by_key_, [](const auto& item) {
    return item.second.looks_at_pods && SelectsNamespaces(item.second.request);
  });
}

Request InternedRequests::Lasting(const cluster::Pod& pod, Request held) {
  const cluster::PodRules& rules = *pod.request.rules;
  const bool keeps_away =
      !rules.anti_affinity.empty() || !rules.host_ports.empty();
  if (!keeps_away && !selected_.Any()) return held;
  cluster::PodRequest lasting = workers::Lasting(pod.request);
  if (held != nullptr) {
    lasting.resources = held->resources;
    if (held->rules->topology.uncounted)
      lasting.rules.Own().topology.uncounted = true;
  }
  const Request plain = Intern(cluster::ToJson(lasting));
  const Request seen = Of(plain, pod.namespace_name, pod.labels);
  return seen == plain && !keeps_away ? held : seen;
}

// A request that is not supported gets no rules about pods: no pod of this
// scheduler runs with it, and pods of others cannot be judged by it.
matcher::RulesId InternedRequests::Rules(Request request) {
  Entry& entry = *entries_.at(request);
  if (entry.rules != matcher::kNoRules) return entry.rules;
  matcher::TaskRules rules;
  const Entry& asked = entry.plain == nullptr ? entry : *entry.plain;
  if (WhyUnsupported(asked.request).empty()) {
    rules = RulesOf(entry.request, entry.namespace_name, entry.labels);
  } else {
    rules.node = NodeRulesOf(entry.request);
    rules.namespace_name = entry.namespace_name;
    rules.labels = entry.labels;
  }
  entry.rules = graph_.TakeRules(rules);
  return entry.rules;
}

matcher::ShapeId InternedRequests::Inside(Request request) {
  Entry& entry = *entries_.at(request);
  if (std::exchange(entry.inside_known, true)) return entry.inside;
  if (!(request->rules->inside == cluster::InsideTerms{})) {
    entry.inside = graph_.TakeInside(InsideOf(entry.request));
  } else if (const auto demanded = InsideOfKubelet(entry.request)) {
    entry.inside = graph_.TakeInside(*demanded);
  }
  return entry.inside;
}

matcher::DevicesId InternedRequests::Devices(Request request) {
  Entry& entry = *entries_.at(request);
  if (entry.devices == matcher::kNoDevices &&
      !request->rules->resource_claims.empty())
    entry.devices = graph_.devices().Take(DevicesOf(entry.request));
  return entry.devices;
}

void InternedRequests::Sweep(const std::vector<Request>& used) {
  std::unordered_set<const Entry*> kept;
  for (const Request request : used) {
    const Entry* entry = entries_.at(request);
    kept.insert(entry);
    if (entry->plain != nullptr) kept.insert(entry->plain);
  }
  std::erase_if(by_key_, [&](const auto& item) {
    const Entry& entry = item.second;
    // Requests without rules about pods are few, and other entries may point to
    // them.
    const bool plain = entry.plain == nullptr && !entry.request.rules.Any();
    if (plain || kept.contains(&entry)) return false;
    if (entry.rules != matcher::kNoRules) graph_.GiveRules(entry.rules);
    if (entry.inside != matcher::kNoShape) graph_.GiveInside(entry.inside);
    if (entry.devices != matcher::kNoDevices)
      graph_.devices().Give(entry.devices);
    entries_.erase(&entry.request);
    return true;
  });
  selected_ = {};
  for (const auto& [key, entry] : by_key_) selected_.Add(entry.request);
  sweep_at_ = std::max<std::size_t>(4'096, 2 * by_key_.size());
}

}  // namespace fluxnetes::workers
