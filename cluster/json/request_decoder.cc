#include "cluster/json/request_decoder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cluster/json/affinity_fields.h"
#include "cluster/json/objects.h"

namespace fluxnetes::cluster {
namespace {

Toleration DecodeToleration(const EncodedValue& json) {
  Toleration toleration{Text(json, "key"), Text(json, "operator") == "Exists",
                        Text(json, "value"), Text(json, "effect")};
  const std::string op = Text(json, "operator", "Equal");
  if (op != "Exists" && op != "Equal" && !op.empty()) {
    toleration.other_operator = op;
  }
  return toleration;
}

void AddRequirements(const EncodedValue& list, bool field,
                     std::vector<NodeRequirement>& term) {
  for (const EncodedValue& json : List(list)) {
    term.push_back({Text(json, "key"), Text(json, "operator"),
                    Texts(At(json, "values")), field});
  }
}

NodeSelectorTerm DecodeTerm(const EncodedValue& json) {
  NodeSelectorTerm term;
  AddRequirements(At(json, "matchExpressions"), false, term);
  AddRequirements(At(json, "matchFields"), true, term);
  return term;
}

std::optional<PodSelector> DecodeSelector(const EncodedValue& json) {
  if (!json.IsObject()) return std::nullopt;
  PodSelector selector;
  for (const auto& [name, value] : DecodeLabels(At(json, "matchLabels")))
    selector.push_back({name, "In", {value}});
  AddRequirements(At(json, "matchExpressions"), false, selector);
  return selector;
}

PodAffinityTerm DecodePodTerm(const EncodedValue& json) {
  return {DecodeSelector(At(json, "labelSelector")),
          Text(json, "topologyKey"),
          Texts(At(json, "namespaces")),
          DecodeSelector(At(json, "namespaceSelector")),
          Texts(At(json, "matchLabelKeys")),
          Texts(At(json, "mismatchLabelKeys"))};
}

std::vector<PodAffinityTerm> DecodePodTerms(const EncodedValue& list) {
  std::vector<PodAffinityTerm> terms;
  for (const EncodedValue& json : List(list))
    terms.push_back(DecodePodTerm(json));
  return terms;
}

void AddPreferred(const EncodedValue& list, int sign, PodRules& rules) {
  for (const EncodedValue& json : List(list)) {
    rules.preferred_pods.push_back(
        {sign * DecodeInteger32(json, "weight").value_or(0),
         DecodePodTerm(At(json, "podAffinityTerm"))});
  }
}

TopologySpread DecodeSpread(const EncodedValue& json) {
  return {.topology_key = Text(json, "topologyKey"),
          .selector = DecodeSelector(At(json, "labelSelector")),
          .max_skew = DecodeInteger32(json, "maxSkew").value_or(0),
          .min_domains = At(json, "minDomains").IsNull()
                             ? 1
                             : DecodeInteger32(json, "minDomains").value_or(0),
          .required = Text(json, "whenUnsatisfiable") != "ScheduleAnyway",
          .honor_affinity = Text(json, "nodeAffinityPolicy") != "Ignore",
          .honor_taints = Text(json, "nodeTaintsPolicy") == "Honor",
          .match_label_keys = Texts(At(json, "matchLabelKeys"))};
}

// On the host's network every container port is a host port, as in Kubernetes.
void AddPorts(const EncodedValue& list, bool host_network, PodRules& rules) {
  for (const EncodedValue& json : List(list)) {
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

void AddPortsOfContainers(const EncodedValue& spec, PodRules& rules) {
  const bool host_network = Flag(spec, "hostNetwork");
  for (const EncodedValue& container : List(At(spec, "containers"))) {
    AddPorts(At(container, "ports"), host_network, rules);
  }
  for (const EncodedValue& container : List(At(spec, "initContainers"))) {
    if (Text(container, "restartPolicy") != "Always") continue;
    AddPorts(At(container, "ports"), host_network, rules);
  }
}

}  // namespace

NodeSelectorTerm DecodeNodeSelectorTerm(const EncodedValue& expressions) {
  NodeSelectorTerm term;
  AddRequirements(expressions, false, term);
  return term;
}

std::vector<NodeSelectorTerm> DecodeNodeSelector(const EncodedValue& selector) {
  std::vector<NodeSelectorTerm> terms;
  if (!selector.IsObject()) return terms;
  for (const EncodedValue& json : List(At(selector, "nodeSelectorTerms"))) {
    terms.push_back(DecodeTerm(json));
  }
  if (terms.empty()) terms.emplace_back();
  return terms;
}

PodRules DecodeRules(const EncodedValue& spec) {
  PodRules rules;
  const EncodedValue affinity = At(spec, "affinity");
  for (const EncodedValue& json :
       List(At(At(affinity, "nodeAffinity"), kPreferred))) {
    rules.preferred_nodes.push_back(
        {DecodeInteger32(json, "weight").value_or(0),
         DecodeTerm(At(json, "preference"))});
  }
  const EncodedValue near = At(affinity, "podAffinity");
  const EncodedValue apart = At(affinity, "podAntiAffinity");
  rules.affinity = DecodePodTerms(At(near, kRequired));
  rules.anti_affinity = DecodePodTerms(At(apart, kRequired));
  AddPreferred(At(near, kPreferred), 1, rules);
  AddPreferred(At(apart, kPreferred), -1, rules);
  for (const EncodedValue& json : List(At(spec, "topologySpreadConstraints"))) {
    rules.spread.push_back(DecodeSpread(json));
  }
  for (const EncodedValue& claim : List(At(spec, "resourceClaims"))) {
    rules.resource_claims.push_back({Text(claim, "name"),
                                     Text(claim, "resourceClaimName"),
                                     Text(claim, "resourceClaimTemplateName")});
  }
  AddPorts(At(spec, "ports"), false, rules);
  return rules;
}

void DecodePlacement(const EncodedValue& spec, PodRequest& request) {
  request.node_selector = DecodeLabels(At(spec, "nodeSelector"));
  request.node_affinity = DecodeNodeSelector(
      At(At(At(spec, "affinity"), "nodeAffinity"), kRequired));
  std::vector<Toleration> tolerations;
  for (const EncodedValue& toleration : List(At(spec, "tolerations"))) {
    tolerations.push_back(DecodeToleration(toleration));
  }
  request.tolerations = std::move(tolerations);
  PodRules rules = DecodeRules(spec);
  AddPortsOfContainers(spec, rules);
  if (rules == PodRules{}) return;
  request.rules.Own() = std::move(rules);
}

std::vector<PodClaim> DecodePodClaims(const EncodedValue& spec,
                                      const EncodedValue& status) {
  std::vector<PodClaim> claims;
  for (const EncodedValue& json : List(At(spec, "resourceClaims"))) {
    claims.push_back({Text(json, "name"), Text(json, "resourceClaimName"),
                      Text(json, "resourceClaimTemplateName")});
  }
  for (const EncodedValue& json : List(At(status, "resourceClaimStatuses"))) {
    const auto at =
        std::ranges::find(claims, Text(json, "name"), &PodClaim::name);
    if (at == claims.end()) continue;
    const std::string made = Text(json, "resourceClaimName");
    at->needless = made.empty();
    if (at->claim.empty()) at->claim = made;
  }
  return claims;
}

DecodedClaims DecodeVolumeClaims(const EncodedValue& spec,
                                 const std::string& pod_name) {
  DecodedClaims claims;
  for (const EncodedValue& volume : List(At(spec, "volumes"))) {
    std::string name = Text(At(volume, "persistentVolumeClaim"), "claimName");
    if (name.empty() && At(volume, "ephemeral").IsObject()) {
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
