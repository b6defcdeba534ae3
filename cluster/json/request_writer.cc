#include "cluster/json/request_writer.h"

#include <algorithm>

#include "cluster/json/affinity_fields.h"

namespace fluxnetes::cluster {
namespace {

void WriteTexts(JsonText& json, std::string_view key,
                const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json.List(key, [&] {
    for (const std::string& text : texts) json.String(text);
  });
}

void WriteRequirements(JsonText& json, std::string_view key,
                       const std::vector<NodeRequirement>& term, bool field) {
  json.List(key, [&] {
    for (const NodeRequirement& requirement : term) {
      if (requirement.field != field) continue;
      json.Object([&] {
        json.Field("key", requirement.key);
        json.Field("operator", requirement.op);
        WriteTexts(json, "values", requirement.values);
      });
    }
  });
}

void WriteTerm(JsonText& json, const NodeSelectorTerm& term) {
  WriteRequirements(json, "matchExpressions", term, false);
  WriteRequirements(json, "matchFields", term, true);
}

void WriteSelector(JsonText& json, std::string_view key,
                   const std::optional<PodSelector>& selector) {
  if (!selector) return;
  json.Object(
      key, [&] { WriteRequirements(json, "matchExpressions", *selector, 0); });
}

void WritePodTerm(JsonText& json, const PodAffinityTerm& term) {
  WriteSelector(json, "labelSelector", term.selector);
  json.Field("topologyKey", term.topology_key);
  WriteTexts(json, "namespaces", term.namespaces);
  WriteSelector(json, "namespaceSelector", term.namespace_selector);
  WriteTexts(json, "matchLabelKeys", term.match_label_keys);
  WriteTexts(json, "mismatchLabelKeys", term.mismatch_label_keys);
}

void WriteNodeAffinity(JsonText& json, const PodRequest& request) {
  const auto& preferred = request.rules->preferred_nodes;
  if (request.node_affinity.empty() && preferred.empty()) return;
  json.Object("nodeAffinity", [&] {
    if (!request.node_affinity.empty()) {
      json.Object(kRequired, [&] {
        json.List("nodeSelectorTerms", [&] {
          for (const NodeSelectorTerm& term : request.node_affinity) {
            json.Object([&] { WriteTerm(json, term); });
          }
        });
      });
    }
    if (preferred.empty()) return;
    json.List(kPreferred, [&] {
      for (const PreferredNodes& each : preferred) {
        json.Object([&] {
          json.Field("weight", each.weight);
          json.Object("preference", [&] { WriteTerm(json, each.term); });
        });
      }
    });
  });
}

// `sign`: 1 for affinity, -1 for anti-affinity.
void WritePodAffinity(JsonText& json, std::string_view key,
                      const std::vector<PodAffinityTerm>& required,
                      const std::vector<PreferredPods>& preferred, int sign) {
  const auto is_of = [&](const PreferredPods& each) {
    return (each.weight < 0) == (sign < 0);
  };
  const bool any = std::ranges::any_of(preferred, is_of);
  if (required.empty() && !any) return;
  json.Object(key, [&] {
    if (!required.empty()) {
      json.List(kRequired, [&] {
        for (const PodAffinityTerm& term : required) {
          json.Object([&] { WritePodTerm(json, term); });
        }
      });
    }
    if (!any) return;
    json.List(kPreferred, [&] {
      for (const PreferredPods& each : preferred) {
        if (!is_of(each)) continue;
        json.Object([&] {
          json.Field("weight", sign * each.weight);
          json.Object("podAffinityTerm",
                      [&] { WritePodTerm(json, each.term); });
        });
      }
    });
  });
}

void WriteAffinity(JsonText& json, const PodRequest& request) {
  const PodRules& rules = *request.rules;
  if (request.node_affinity.empty() && rules.preferred_nodes.empty() &&
      rules.affinity.empty() && rules.anti_affinity.empty() &&
      rules.preferred_pods.empty()) {
    return;
  }
  json.Object("affinity", [&] {
    WriteNodeAffinity(json, request);
    WritePodAffinity(json, "podAffinity", rules.affinity, rules.preferred_pods,
                     1);
    WritePodAffinity(json, "podAntiAffinity", rules.anti_affinity,
                     rules.preferred_pods, -1);
  });
}

void WriteSpread(JsonText& json, const std::vector<TopologySpread>& all) {
  if (all.empty()) return;
  json.List("topologySpreadConstraints", [&] {
    for (const TopologySpread& each : all) {
      json.Object([&] {
        json.Field("topologyKey", each.topology_key);
        json.Field("maxSkew", each.max_skew);
        json.Field("whenUnsatisfiable",
                   each.required ? "DoNotSchedule" : "ScheduleAnyway");
        WriteSelector(json, "labelSelector", each.selector);
        if (each.min_domains != 1) json.Field("minDomains", each.min_domains);
        if (!each.honor_affinity) json.Field("nodeAffinityPolicy", "Ignore");
        if (each.honor_taints) json.Field("nodeTaintsPolicy", "Honor");
        WriteTexts(json, "matchLabelKeys", each.match_label_keys);
      });
    }
  });
}

void WriteTolerations(JsonText& json, const SharedList<Toleration>& all) {
  if (all.empty()) return;
  json.List("tolerations", [&] {
    for (const Toleration& toleration : all) {
      json.Object([&] {
        json.FieldUnlessEmpty("key", toleration.key);
        json.Field("operator", !toleration.other_operator.empty()
                                   ? toleration.other_operator
                               : toleration.exists ? "Exists"
                                                   : "Equal");
        json.FieldUnlessEmpty("value", toleration.value);
        json.FieldUnlessEmpty("effect", toleration.effect);
      });
    }
  });
}

void WriteClaims(JsonText& json, const std::vector<RequestedClaim>& all) {
  if (all.empty()) return;
  json.List("resourceClaims", [&] {
    for (const RequestedClaim& each : all) {
      json.Object([&] {
        json.Field("name", each.name);
        json.FieldUnlessEmpty("resourceClaimName",
                              each.claim.substr(each.claim.find('/') + 1));
        json.FieldUnlessEmpty("resourceClaimTemplateName", each.template_name);
      });
    }
  });
}

}  // namespace

void WritePorts(JsonText& json, const std::vector<HostPort>& ports) {
  if (ports.empty()) return;
  json.List("ports", [&] {
    for (const HostPort& each : ports) {
      json.Object([&] {
        json.Field("containerPort", each.port);
        json.Field("hostPort", each.port);
        json.Field("protocol", each.protocol);
        json.FieldUnlessEmpty("hostIP", each.ip);
      });
    }
  });
}

void WritePlacement(JsonText& json, const PodRequest& request) {
  if (!request.node_selector.empty()) {
    json.Object("nodeSelector", [&] {
      for (const auto& [name, value] : request.node_selector) {
        json.Field(name, value);
      }
    });
  }
  WriteAffinity(json, request);
  WriteTolerations(json, request.tolerations);
  WriteSpread(json, request.rules->spread);
  WriteClaims(json, request.rules->resource_claims);
}

std::string WriteRules(const PodRules& rules) {
  PodRequest request;
  request.rules.Own() = rules;
  JsonText json;
  json.Object([&] {
    WriteAffinity(json, request);
    WriteSpread(json, rules.spread);
    WritePorts(json, rules.host_ports);
  });
  return json.Take();
}

}  // namespace fluxnetes::cluster
