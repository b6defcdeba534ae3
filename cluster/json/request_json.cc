#include "cluster/json/request_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "cluster/json/request_decoder.h"
#include "cluster/json/request_writer.h"
#include "cluster/text/quantity.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

Json Encode(const Resources& resources) {
  Json json = Json::object();
  const auto add = [&json](const char* name, std::int64_t amount,
                           std::string text) {
    if (amount != 0) json[name] = std::move(text);
  };
  add("cpu", resources.cpu_milli, FormatCpu(resources.cpu_milli));
  add("memory", resources.memory_bytes, FormatBytes(resources.memory_bytes));
  add("ephemeral-storage", resources.ephemeral_bytes,
      FormatBytes(resources.ephemeral_bytes));
  add("pods", resources.pods, std::to_string(resources.pods));
  for (const auto& [name, amount] : resources.extended) {
    json[name] = std::to_string(amount);
  }
  return json;
}

Resources DecodeResources(const Json& json) {
  Resources resources;
  for (const auto& [name, amount] : json.items()) {
    const auto& text = amount.get_ref<const std::string&>();
    if (name == "cpu") {
      resources.cpu_milli = ParseCpuMilli(text);
    } else if (name == "memory") {
      resources.memory_bytes = ParseQuantity(text);
    } else if (name == "ephemeral-storage") {
      resources.ephemeral_bytes = ParseQuantity(text);
    } else if (name == "pods") {
      resources.pods = ParseQuantity(text);
    } else {
      resources.SetExtended(name, ParseQuantity(text));
    }
  }
  return resources;
}

Json Encode(const NodeRequirement& requirement) {
  Json json = {{"key", requirement.key}, {"operator", requirement.op}};
  if (!requirement.values.empty()) json["values"] = requirement.values;
  if (requirement.field) json["field"] = true;
  return json;
}

NodeRequirement DecodeRequirement(const Json& json) {
  return {json.at("key"), json.at("operator"),
          json.value("values", std::vector<std::string>{}),
          json.value("field", false)};
}

Json Encode(const Toleration& toleration) {
  Json json = {{"operator", toleration.exists ? "Exists" : "Equal"}};
  if (!toleration.other_operator.empty()) {
    json["operator"] = toleration.other_operator;
  }
  if (!toleration.key.empty()) json["key"] = toleration.key;
  if (!toleration.value.empty()) json["value"] = toleration.value;
  if (!toleration.effect.empty()) json["effect"] = toleration.effect;
  return json;
}

Toleration DecodeOwnToleration(const Json& json) {
  Toleration toleration{json.value("key", ""), json.at("operator") == "Exists",
                        json.value("value", ""), json.value("effect", "")};
  const std::string op = json.at("operator");
  if (op != "Exists" && op != "Equal") toleration.other_operator = op;
  return toleration;
}

// Decodes rules from the form of a spec; refuses JSON that is different when
// written again.
PodRules DecodeOwnRules(const Json& json) {
  PodRules rules = DecodeRules(json);
  if (Json::parse(WriteRules(rules)) == json) return rules;
  throw std::invalid_argument(
      "not a pod request: rules are not as they are "
      "written");
}

Json Encode(const std::vector<TopologyLevel>& levels) {
  Json json = Json::array();
  for (const TopologyLevel& level : levels)
    json.push_back({{"key", level.key}, {"pods", level.pods}});
  return json;
}

std::vector<TopologyLevel> DecodeLevels(const Json& json) {
  std::vector<TopologyLevel> levels;
  for (const Json& level : json)
    levels.push_back({level.at("key"), level.at("pods")});
  return levels;
}

Json Encode(const GroupTopology& topology) {
  Json json = Json::object();
  if (!topology.required.empty()) json["required"] = topology.required;
  if (!topology.preferred.empty()) json["preferred"] = topology.preferred;
  if (!topology.required_parts.empty())
    json["requiredParts"] = Encode(topology.required_parts);
  if (!topology.preferred_parts.empty())
    json["preferredParts"] = Encode(topology.preferred_parts);
  const PodsPerNode& per_node = topology.per_node;
  if (per_node.pods > 0)
    json[per_node.at_most ? "mostPerNode" : "podsPerNode"] = per_node.pods;
  if (topology.whole_nodes) json["wholeNodes"] = true;
  if (topology.aside) json["aside"] = true;
  if (!topology.pools.empty()) json["pools"] = topology.pools;
  if (topology.adopted) json["adopted"] = true;
  if (topology.uncounted) json["uncounted"] = true;
  return json;
}

GroupTopology DecodeTopology(const Json& json) {
  GroupTopology topology{json.value("required", ""),
                         json.value("preferred", "")};
  topology.required_parts =
      DecodeLevels(json.value("requiredParts", Json::array()));
  topology.preferred_parts =
      DecodeLevels(json.value("preferredParts", Json::array()));
  topology.per_node.at_most = json.contains("mostPerNode");
  topology.per_node.pods =
      json.value(topology.per_node.at_most ? "mostPerNode" : "podsPerNode", 0);
  topology.whole_nodes = json.value("wholeNodes", false);
  topology.aside = json.value("aside", false);
  topology.pools = json.value("pools", PoolAmounts());
  topology.adopted = json.value("adopted", false);
  topology.uncounted = json.value("uncounted", false);
  return topology;
}

Json Encode(const InsideTerms& inside) {
  Json json = Json::object();
  if (!inside.align.empty()) {
    json[inside.align_required ? "align" : "preferAlign"] = inside.align;
  }
  if (!inside.cpus.empty()) json["cpus"] = inside.cpus;
  if (!inside.jobspec.empty()) json["jobspec"] = inside.jobspec;
  return json;
}

InsideTerms DecodeInside(const Json& json) {
  InsideTerms inside;
  inside.align_required = !json.contains("preferAlign");
  inside.align =
      json.value(inside.align_required ? "align" : "preferAlign", "");
  inside.cpus = json.value("cpus", "");
  inside.jobspec = json.value("jobspec", "");
  return inside;
}

Json Encode(const std::vector<RequestedClaim>& claims) {
  Json json = Json::array();
  for (const RequestedClaim& each : claims) {
    Json& claim = json.emplace_back(Json{{"name", each.name}});
    if (!each.claim.empty()) claim["claim"] = each.claim;
    if (!each.template_name.empty()) claim["template"] = each.template_name;
    if (!each.spec.empty()) claim["spec"] = each.spec;
  }
  return json;
}

std::vector<RequestedClaim> DecodeClaims(const Json& json) {
  std::vector<RequestedClaim> claims;
  for (const Json& each : json) {
    claims.push_back({each.at("name"), each.value("claim", ""),
                      each.value("template", ""), each.value("spec", "")});
  }
  return claims;
}

std::vector<NodeSelectorTerm> DecodeTerms(const Json& json) {
  std::vector<NodeSelectorTerm> terms;
  for (const Json& term : json) {
    auto& requirements = terms.emplace_back();
    for (const Json& requirement : term) {
      requirements.push_back(DecodeRequirement(requirement));
    }
  }
  return terms;
}

PodRequest Decode(const Json& json) {
  PodRequest request;
  request.resources = DecodeResources(json.at("resources"));
  if (json.contains("nodeSelector")) {
    request.node_selector = json["nodeSelector"];
  }
  request.node_affinity =
      DecodeTerms(json.value("nodeAffinity", Json::array()));
  std::vector<Toleration> tolerations;
  for (const Json& toleration : json.value("tolerations", Json::array())) {
    tolerations.push_back(DecodeOwnToleration(toleration));
  }
  request.tolerations = std::move(tolerations);
  if (json.contains("rules")) {
    request.rules.Own() = DecodeOwnRules(json["rules"]);
  }
  if (json.contains("topology")) {
    request.rules.Own().topology = DecodeTopology(json["topology"]);
  }
  if (json.contains("inside")) {
    request.rules.Own().inside = DecodeInside(json["inside"]);
  }
  if (json.contains("claims")) {
    request.rules.Own().resource_claims = DecodeClaims(json["claims"]);
  }
  request.guaranteed = json.value("guaranteed", false);
  return request;
}

}  // namespace

std::string ToJson(const PodRequest& request) {
  Json json = {{"resources", Encode(request.resources)}};
  if (!request.node_selector.empty()) {
    json["nodeSelector"] = request.node_selector;
  }
  for (const NodeSelectorTerm& term : request.node_affinity) {
    Json& requirements = json["nodeAffinity"].emplace_back(Json::array());
    for (const NodeRequirement& requirement : term) {
      requirements.push_back(Encode(requirement));
    }
  }
  for (const Toleration& toleration : request.tolerations) {
    json["tolerations"].push_back(Encode(toleration));
  }
  if (!(*request.rules == PodRules{})) {
    Json rules = Json::parse(WriteRules(*request.rules));
    if (!rules.empty()) json["rules"] = std::move(rules);
    if (!(request.rules->topology == GroupTopology{}))
      json["topology"] = Encode(request.rules->topology);
    if (!(request.rules->inside == InsideTerms{}))
      json["inside"] = Encode(request.rules->inside);
    if (!request.rules->resource_claims.empty())
      json["claims"] = Encode(request.rules->resource_claims);
  }
  if (request.guaranteed) json["guaranteed"] = true;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

GroupTopology TopologyFromJson(const std::string& json) {
  try {
    return json.empty() ? GroupTopology{} : DecodeTopology(Json::parse(json));
  } catch (const Json::exception& error) {
    throw std::invalid_argument(std::string("not the topology of a group: ") +
                                error.what());
  }
}

InsideTerms InsideFromJson(const std::string& json) {
  try {
    return json.empty() ? InsideTerms{} : DecodeInside(Json::parse(json));
  } catch (const Json::exception& error) {
    throw std::invalid_argument(
        std::string("not what a pod asks of the inside of its node: ") +
        error.what());
  }
}

std::vector<NodeSelectorTerm> NodeAffinityFromJson(const std::string& json) {
  try {
    return DecodeTerms(json.empty() ? Json::array() : Json::parse(json));
  } catch (const Json::exception& error) {
    throw std::invalid_argument(
        std::string("not the node affinity of a pod: ") + error.what());
  }
}

PodRequest PodRequestFromJson(const std::string& json) {
  try {
    return Decode(Json::parse(json));
  } catch (const Json::exception& error) {
    throw std::invalid_argument(std::string("not a pod request: ") +
                                error.what());
  }
}

}  // namespace fluxnetes::cluster
