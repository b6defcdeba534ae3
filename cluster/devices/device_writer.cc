#include "cluster/devices/device_writer.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/devices/device_decoder.h"
#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using matcher::DeviceAmounts;
using matcher::LabelRequirement;

constexpr const char* kGroupVersion = "resource.k8s.io/v1";

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json Parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? Json() : json;
}

const char* NameOf(LabelRequirement::Op op) {
  using Op = LabelRequirement::Op;
  switch (op) {
    case Op::kIn:
      return "In";
    case Op::kNotIn:
      return "NotIn";
    case Op::kExists:
      return "Exists";
    case Op::kDoesNotExist:
      return "DoesNotExist";
    case Op::kGt:
      return "Gt";
    case Op::kLt:
      break;
  }
  return "Lt";
}

Json EncodeTerm(const matcher::LabelTerm& term) {
  Json json = Json::object();
  for (const LabelRequirement& each : term) {
    Json requirement = {{"key", each.key}, {"operator", NameOf(each.op)}};
    if (!each.values.empty()) requirement["values"] = each.values;
    json[each.field ? "matchFields" : "matchExpressions"].push_back(
        std::move(requirement));
  }
  return json;
}

// Null: all nodes.
Json EncodeNodes(const matcher::DeviceNodes& nodes) {
  if (nodes.all) return nullptr;
  Json terms = Json::array();
  if (!nodes.node.empty()) {
    terms.push_back(EncodeTerm({{"metadata.name",
                                 LabelRequirement::Op::kIn,
                                 {nodes.node},
                                 /*field=*/true}}));
  }
  for (const matcher::LabelTerm& term : nodes.terms)
    terms.push_back(EncodeTerm(term));
  return {{"nodeSelectorTerms", std::move(terms)}};
}

// "gpu" of "gpu/large".
std::string_view RequestOf(std::string_view name) {
  return name.substr(0, name.find('/'));
}

// The request, or the alternative "request/subrequest", of a spec; null: there
// is none.
const Json& FindRequest(const Json& spec, std::string_view name) {
  static const Json kNone;
  for (const Json& request : List(At(At(spec, "devices"), "requests"))) {
    if (Text(request, "name") != RequestOf(name)) continue;
    if (name == RequestOf(name)) return At(request, "exactly");
    for (const Json& each : List(At(request, "firstAvailable"))) {
      if (Text(each, "name") == name.substr(name.find('/') + 1)) return each;
    }
  }
  return kNone;
}

Json EncodeResult(const Json& spec, const matcher::AllocatedDevice& device) {
  Json json = {{"request", device.request},
               {"driver", device.id.driver},
               {"pool", device.id.pool},
               {"device", device.id.device}};
  if (device.admin_access) json["adminAccess"] = true;
  const Json& tolerations =
      At(FindRequest(spec, device.request), "tolerations");
  if (!tolerations.is_null()) json["tolerations"] = tolerations;
  if (!device.binding_conditions.empty())
    json["bindingConditions"] = device.binding_conditions;
  if (!device.binding_failures.empty())
    json["bindingFailureConditions"] = device.binding_failures;
  if (!device.share.empty()) json["shareID"] = device.share;
  for (const auto& [name, amount] : device.consumed) {
    json["consumedCapacity"][ShortDeviceName(device.id.driver, name)] =
        ToText(amount);
  }
  return json;
}

// The requests, or their alternatives, that have devices, in order.
std::vector<std::string> RequestsWithDevices(const ClaimDevices& devices) {
  std::vector<std::string> names;
  for (const matcher::AllocatedDevice& each : devices.devices) {
    if (std::ranges::count(names, each.request) == 0)
      names.push_back(each.request);
  }
  return names;
}

Json EncodeConfig(
    const ClaimSpec& spec, const Json& spec_json, const ClaimDevices& devices,
    const std::vector<std::shared_ptr<const DeviceClass>>& classes) {
  Json config = Json::array();
  const std::vector<std::string> requests = RequestsWithDevices(devices);
  for (const auto& each : classes) {
    std::vector<std::string> of_class;
    std::ranges::copy_if(
        requests, std::back_inserter(of_class), [&](const std::string& name) {
          return Text(FindRequest(spec_json, name), "deviceClassName") ==
                 each->device_class.name;
        });
    if (of_class.empty()) continue;
    for (const std::string& text : each->config) {
      Json entry = Parse(text);
      entry["source"] = "FromClass";
      entry["requests"] = of_class;
      config.push_back(std::move(entry));
    }
  }
  for (const DeviceConfig& each : spec.config) {
    const auto applies = [&](const std::string& name) {
      return std::ranges::count(each.requests, name) > 0 ||
             std::ranges::count(each.requests, RequestOf(name)) > 0;
    };
    if (!each.requests.empty() && std::ranges::none_of(requests, applies))
      continue;
    Json entry = Parse(each.json);
    entry["source"] = "FromClaim";
    if (!each.requests.empty()) entry["requests"] = each.requests;
    config.push_back(std::move(entry));
  }
  return config;
}

Json Head(const char* kind, const std::string& name,
          const std::string& version) {
  Json json = {{"apiVersion", kGroupVersion},
               {"kind", kind},
               {"metadata", {{"name", name}}}};
  if (!version.empty()) json["metadata"]["resourceVersion"] = version;
  return json;
}

Json EncodeAttribute(const matcher::DeviceAttribute& attribute) {
  if (const auto* number = std::get_if<std::int64_t>(&attribute))
    return {{"int", *number}};
  if (const auto* flag = std::get_if<bool>(&attribute))
    return {{"bool", *flag}};
  if (const auto* text = std::get_if<std::string>(&attribute))
    return {{"string", *text}};
  return {{"version", std::get<matcher::DeviceVersion>(attribute).text}};
}

Json EncodeCounters(const DeviceAmounts& counters) {
  Json json = Json::object();
  for (const auto& [name, amount] : counters)
    json[name] = {{"value", ToText(amount)}};
  return json;
}

Json EncodePolicy(const matcher::RequestPolicy& policy) {
  Json json = Json::object();
  if (policy.fallback) json["default"] = ToText(*policy.fallback);
  for (const auto& value : policy.valid)
    json["validValues"].push_back(ToText(value));
  if (policy.minimum) json["validRange"]["min"] = ToText(*policy.minimum);
  if (policy.maximum) json["validRange"]["max"] = ToText(*policy.maximum);
  if (policy.step) json["validRange"]["step"] = ToText(*policy.step);
  return json;
}

const char* NameOf(matcher::DeviceTaint::Effect effect) {
  using Effect = matcher::DeviceTaint::Effect;
  return effect == Effect::kNone         ? "None"
         : effect == Effect::kNoSchedule ? "NoSchedule"
                                         : "NoExecute";
}

void PutNodes(const matcher::DeviceNodes& nodes, Json& json) {
  if (nodes.all) {
    json["allNodes"] = true;
  } else if (!nodes.node.empty()) {
    json["nodeName"] = nodes.node;
  } else if (!nodes.terms.empty()) {
    json["nodeSelector"] = EncodeNodes(nodes);
  }
}

Json EncodeDevice(const std::string& driver, const matcher::Device& device) {
  Json json = {{"name", device.name}};
  for (const auto& [name, value] : device.attributes)
    json["attributes"][ShortDeviceName(driver, name)] = EncodeAttribute(value);
  for (const auto& [name, amount] : device.capacity) {
    Json& capacity = json["capacity"][ShortDeviceName(driver, name)];
    capacity["value"] = ToText(amount);
    const auto policy = device.policies.find(name);
    if (policy != device.policies.end())
      capacity["requestPolicy"] = EncodePolicy(policy->second);
  }
  for (const matcher::CounterUse& use : device.uses) {
    json["consumesCounters"].push_back(
        {{"counterSet", use.set}, {"counters", EncodeCounters(use.counters)}});
  }
  for (const matcher::DeviceTaint& taint : device.taints) {
    json["taints"].push_back({{"key", taint.key},
                              {"value", taint.value},
                              {"effect", NameOf(taint.effect)}});
  }
  if (device.nodes) PutNodes(*device.nodes, json);
  if (device.shared) json["allowMultipleAllocations"] = true;
  if (!device.binding_conditions.empty())
    json["bindingConditions"] = device.binding_conditions;
  if (!device.binding_failures.empty())
    json["bindingFailureConditions"] = device.binding_failures;
  if (device.binds_to_node) json["bindsToNode"] = true;
  return json;
}

}  // namespace

Json EncodeConsumer(const ClaimConsumer& consumer) {
  Json json = {{"resource", consumer.resource},
               {"name", consumer.name},
               {"uid", consumer.uid}};
  if (!consumer.api_group.empty()) json["apiGroup"] = consumer.api_group;
  return json;
}

Json EncodeAllocation(
    const ClaimSpec& spec, const ClaimDevices& devices,
    const std::vector<std::shared_ptr<const DeviceClass>>& classes) {
  const Json spec_json = Parse(spec.text);
  Json json = {{"devices", {{"results", Json::array()}}}};
  for (const matcher::AllocatedDevice& each : devices.devices)
    json["devices"]["results"].push_back(EncodeResult(spec_json, each));
  Json config = EncodeConfig(spec, spec_json, devices, classes);
  if (!config.empty()) json["devices"]["config"] = std::move(config);
  Json nodes = EncodeNodes(devices.nodes);
  if (!nodes.is_null()) json["nodeSelector"] = std::move(nodes);
  return json;
}

std::string WriteResourceClaim(const ResourceClaim& claim) {
  Json json = Head("ResourceClaim", claim.name, claim.resource_version);
  Json& metadata = json["metadata"];
  metadata["namespace"] = claim.namespace_name;
  metadata["uid"] = claim.uid;
  if (claim.owner) {
    metadata["ownerReferences"].push_back({{"apiVersion", "v1"},
                                           {"kind", claim.owner->kind},
                                           {"name", claim.owner->name},
                                           {"uid", claim.owner->uid},
                                           {"controller", true}});
  }
  if (!claim.finalizers.empty()) metadata["finalizers"] = claim.finalizers;
  if (claim.terminating) metadata["deletionTimestamp"] = "1970-01-01T00:00:00Z";
  json["spec"] = Parse(claim.spec->text);
  json["status"] = Json::object();
  if (claim.allocation) {
    json["status"]["allocation"] =
        EncodeAllocation(*claim.spec, *claim.allocation, {});
  }
  for (const ClaimConsumer& each : claim.reserved_for)
    json["status"]["reservedFor"].push_back(EncodeConsumer(each));
  return Dump(json);
}

std::string WriteResourceClaimTemplate(const ResourceClaimTemplate& of) {
  Json json = Head("ResourceClaimTemplate", of.name, of.resource_version);
  json["metadata"]["namespace"] = of.namespace_name;
  json["metadata"]["uid"] = of.uid;
  json["spec"] = {{"spec", Parse(of.spec.text)}};
  return Dump(json);
}

std::string WriteDeviceClass(const DeviceClass& device_class) {
  const matcher::DeviceClass& is = device_class.device_class;
  Json json = Head("DeviceClass", is.name, device_class.resource_version);
  json["spec"] = Json::object();
  for (const std::string& each : is.selectors)
    json["spec"]["selectors"].push_back({{"cel", {{"expression", each}}}});
  for (const std::string& text : device_class.config)
    json["spec"]["config"].push_back(Parse(text));
  if (!is.extended_resource.empty())
    json["spec"]["extendedResourceName"] = is.extended_resource;
  return Dump(json);
}

std::string WriteResourceSlice(const ResourceSlice& slice) {
  const matcher::DeviceSlice& is = slice.slice;
  Json json = Head("ResourceSlice", is.name, slice.resource_version);
  Json& spec = json["spec"];
  spec["driver"] = is.driver;
  spec["pool"] = {{"name", is.pool},
                  {"generation", is.generation},
                  {"resourceSliceCount", is.slices}};
  PutNodes(is.nodes, spec);
  if (is.nodes == matcher::DeviceNodes{} && !is.devices.empty())
    spec["perDeviceNodeSelection"] = true;
  for (const matcher::Device& each : is.devices)
    spec["devices"].push_back(EncodeDevice(is.driver, each));
  for (const matcher::CounterSet& each : is.counters) {
    spec["sharedCounters"].push_back(
        {{"name", each.name}, {"counters", EncodeCounters(each.counters)}});
  }
  return Dump(json);
}

}  // namespace fluxnetes::cluster
