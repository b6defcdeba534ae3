#include "cluster/json/request_decoder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cluster/json/affinity_fields.h"
#include "cluster/json/objects.h"
#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

Toleration DecodeToleration(const Json& json) {
  Toleration toleration{Text(json, "key"), Text(json, "operator") == "Exists",
                        Text(json, "value"), Text(json, "effect")};
  const std::string op = Text(json, "operator", "Equal");
  if (op != "Exists" && op != "Equal" && !op.empty()) {
    toleration.other_operator = op;
  }
  return toleration;
}

void AddRequirements(const Json& list, bool field,
                     std::vector<NodeRequirement>& term) {
  for (const Json& json : List(list)) {
    term.push_back({Text(json, "key"), Text(json, "operator"),
                    Texts(At(json, "values")), field});
  }
}

NodeSelectorTerm DecodeTerm(const Json& json) {
  NodeSelectorTerm term;
  AddRequirements(At(json, "matchExpressions"), false, term);
  AddRequirements(At(json, "matchFields"), true, term);
  return term;
}

std::optional<PodSelector> DecodeSelector(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  PodSelector selector;
  const Json& labels = At(json, "matchLabels");
  if (labels.is_object()) {
    for (const auto& [name, value] : labels.items()) {
      if (!value.is_string()) continue;
      selector.push_back({name, "In", {value.get<std::string>()}});
    }
  }
  AddRequirements(At(json, "matchExpressions"), false, selector);
  return selector;
}

PodAffinityTerm DecodePodTerm(const Json& json) {
  return {DecodeSelector(At(json, "labelSelector")),
          Text(json, "topologyKey"),
          Texts(At(json, "namespaces")),
          DecodeSelector(At(json, "namespaceSelector")),
          Texts(At(json, "matchLabelKeys")),
          Texts(At(json, "mismatchLabelKeys"))};
}

std::vector<PodAffinityTerm> DecodePodTerms(const Json& list) {
  std::vector<PodAffinityTerm> terms;
  for (const Json& json : List(list)) terms.push_back(DecodePodTerm(json));
  return terms;
}

void AddPreferred(const Json& list, int sign, PodRules& rules) {
  for (const Json& json : List(list)) {
    rules.preferred_pods.push_back(
        {sign * DecodeInteger32(json, "weight").value_or(0),
         DecodePodTerm(At(json, "podAffinityTerm"))});
  }
}

TopologySpread DecodeSpread(const Json& json) {
  return {.topology_key = Text(json, "topologyKey"),
          .selector = DecodeSelector(At(json, "labelSelector")),
          .max_skew = DecodeInteger32(json, "maxSkew").value_or(0),
          .min_domains = At(json, "minDomains").is_null()
                             ? 1
                             : DecodeInteger32(json, "minDomains").value_or(0),
          .required = Text(json, "whenUnsatisfiable") != "ScheduleAnyway",
          .honor_affinity = Text(json, "nodeAffinityPolicy") != "Ignore",
          .honor_taints = Text(json, "nodeTaintsPolicy") == "Honor",
          .match_label_keys = Texts(At(json, "matchLabelKeys"))};
}

// On the host's network every container port is a host port, as in Kubernetes.
void AddPorts(const Json& list, bool host_network, PodRules& rules) {
  for (const Json& json : List(list)) {
    int port = DecodeInteger32(json, "hostPort").value_or(0);
    if (port == 0 && host_network) {
      port = DecodeInteger32(json, "containerPort").value_or(0);
    }
    if (port == 0) continue;
    HostPort known{port, Text(json, "protocol", "TCP"), Text(json, "hostIP")};
    if (std::ranges::count(rules.host_ports, known) == 0) {
      rules.host_ports.push_back(std::move(known));
    }
  }
}

void AddPortsOfContainers(const Json& spec, PodRules& rules) {
  const bool host_network = Flag(spec, "hostNetwork");
  for (const Json& container : List(At(spec, "containers"))) {
    AddPorts(At(container, "ports"), host_network, rules);
  }
  for (const Json& container : List(At(spec, "initContainers"))) {
    if (Text(container, "restartPolicy") != "Always") continue;
    AddPorts(At(container, "ports"), host_network, rules);
  }
}

}  // namespace

NodeSelectorTerm DecodeNodeSelectorTerm(const Json& expressions) {
  NodeSelectorTerm term;
  AddRequirements(expressions, false, term);
  return term;
}

std::vector<NodeSelectorTerm> DecodeNodeSelector(const Json& selector) {
  std::vector<NodeSelectorTerm> terms;
  if (!selector.is_object()) return terms;
  for (const Json& json : List(At(selector, "nodeSelectorTerms"))) {
    terms.push_back(DecodeTerm(json));
  }
  if (terms.empty()) terms.emplace_back();
  return terms;
}

PodRules DecodeRules(const Json& spec) {
  PodRules rules;
  const Json& affinity = At(spec, "affinity");
  for (const Json& json : List(At(At(affinity, "nodeAffinity"), kPreferred))) {
    rules.preferred_nodes.push_back(
        {DecodeInteger32(json, "weight").value_or(0),
         DecodeTerm(At(json, "preference"))});
  }
  const Json& near = At(affinity, "podAffinity");
  const Json& apart = At(affinity, "podAntiAffinity");
  rules.affinity = DecodePodTerms(At(near, kRequired));
  rules.anti_affinity = DecodePodTerms(At(apart, kRequired));
  AddPreferred(At(near, kPreferred), 1, rules);
  AddPreferred(At(apart, kPreferred), -1, rules);
  for (const Json& json : List(At(spec, "topologySpreadConstraints"))) {
    rules.spread.push_back(DecodeSpread(json));
  }
  for (const Json& claim : List(At(spec, "resourceClaims"))) {
    rules.resource_claims.push_back({Text(claim, "name"),
                                     Text(claim, "resourceClaimName"),
                                     Text(claim, "resourceClaimTemplateName")});
  }
  AddPorts(At(spec, "ports"), false, rules);
  return rules;
}

void DecodePlacement(const Json& spec, PodRequest& request) {
  request.node_selector = DecodeLabels(At(spec, "nodeSelector"));
  request.node_affinity = DecodeNodeSelector(
      At(At(At(spec, "affinity"), "nodeAffinity"), kRequired));
  std::vector<Toleration> tolerations;
  for (const Json& toleration : List(At(spec, "tolerations"))) {
    tolerations.push_back(DecodeToleration(toleration));
  }
  request.tolerations = std::move(tolerations);
  PodRules rules = DecodeRules(spec);
  AddPortsOfContainers(spec, rules);
  if (rules == PodRules{}) return;
  request.rules.Own() = std::move(rules);
}

std::vector<PodClaim> DecodePodClaims(const Json& spec, const Json& status) {
  std::vector<PodClaim> claims;
  for (const Json& json : List(At(spec, "resourceClaims"))) {
    claims.push_back({Text(json, "name"), Text(json, "resourceClaimName"),
                      Text(json, "resourceClaimTemplateName")});
  }
  for (const Json& json : List(At(status, "resourceClaimStatuses"))) {
    const auto at =
        std::ranges::find(claims, Text(json, "name"), &PodClaim::name);
    if (at == claims.end()) continue;
    const std::string made = Text(json, "resourceClaimName");
    at->needless = made.empty();
    if (at->claim.empty()) at->claim = made;
  }
  return claims;
}

DecodedClaims DecodeVolumeClaims(const Json& spec,
                                 const std::string& pod_name) {
  DecodedClaims claims;
  for (const Json& volume : List(At(spec, "volumes"))) {
    std::string name = Text(At(volume, "persistentVolumeClaim"), "claimName");
    if (name.empty() && At(volume, "ephemeral").is_object()) {
      name = pod_name + "-" + Text(volume, "name");
      if (std::ranges::count(claims.ephemeral, name) == 0)
        claims.ephemeral.push_back(name);
    }
    if (!name.empty() && std::ranges::count(claims.all, name) == 0) {
      claims.all.push_back(std::move(name));
    }
  }
  return claims;
}

}  // namespace fluxnetes::cluster
