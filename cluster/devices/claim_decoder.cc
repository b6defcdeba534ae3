#include "cluster/devices/claim_decoder.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/devices/claim_spec.h"
#include "cluster/devices/device_decoder.h"

namespace fluxnetes::cluster {
namespace {

using matcher::LabelRequirement;

void AddRequirements(const EncodedValue& list, bool field,
                     matcher::LabelTerm& term) {
  for (const EncodedValue& json : List(list)) {
    const auto op = matcher::ParseOp(Text(json, "operator"));
    // An unknown operator holds on no node, as In without values does.
    term.push_back({Text(json, "key"), op.value_or(LabelRequirement::Op::kIn),
                    op ? Texts(At(json, "values")) : std::vector<std::string>(),
                    field});
  }
}

// The node that the terms name; empty: they do more than that.
std::string NodeOf(const std::vector<matcher::LabelTerm>& terms) {
  if (terms.size() != 1 || terms[0].size() != 1) return "";
  const LabelRequirement& only = terms[0][0];
  const bool names = only.field && only.key == "metadata.name" &&
                     only.op == LabelRequirement::Op::kIn &&
                     only.values.size() == 1;
  return names ? only.values[0] : "";
}

matcher::AllocatedDevice DecodeResult(const EncodedValue& json) {
  matcher::AllocatedDevice device;
  device.request = Text(json, "request");
  device.id = {Text(json, "driver"), Text(json, "pool"), Text(json, "device")};
  device.admin_access = Flag(json, "adminAccess");
  device.share = Text(json, "shareID");
  device.binding_conditions = Texts(At(json, "bindingConditions"));
  device.binding_failures = Texts(At(json, "bindingFailureConditions"));
  std::string fault;
  device.tolerations =
      ReadDeviceTolerations(At(json, "tolerations"), "", fault);
  for (const auto& [name, value] : At(json, "consumedCapacity").Entries()) {
    const auto amount = matcher::ReadAmount(value.Written());
    if (amount)
      device.consumed.emplace(ShortDeviceName(device.id.driver, name), *amount);
  }
  return device;
}

DeviceStatus DecodeStatus(const EncodedValue& json) {
  DeviceStatus said;
  said.id = {Text(json, "driver"), Text(json, "pool"), Text(json, "device")};
  said.share = Text(json, "shareID");
  for (const EncodedValue& condition : List(At(json, "conditions"))) {
    if (Text(condition, "status") == "True")
      said.conditions.push_back(Text(condition, "type"));
  }
  return said;
}

std::optional<Owner> OwningPod(const EncodedValue& metadata) {
  for (const EncodedValue& owner : List(At(metadata, "ownerReferences"))) {
    if (Flag(owner, "controller") && Text(owner, "kind") == "Pod")
      return Owner{"Pod", Text(owner, "name"), Text(owner, "uid")};
  }
  return std::nullopt;
}

// Fields that the kinds have in common.
template <typename Object>
void DecodeNames(const EncodedValue& metadata, Object& object) {
  object.namespace_name = Text(metadata, "namespace");
  object.name = Text(metadata, "name");
  object.uid = Text(metadata, "uid");
  object.resource_version = Text(metadata, "resourceVersion");
}

ClaimSpec DecodeEncodedSpec(const EncodedValue& spec) {
  return spec.IsJson() ? DecodeClaimSpec(spec.Json())
                       : DecodeClaimSpec(spec.ToJson());
}

}  // namespace

matcher::DeviceNodes DecodeDeviceNodes(const EncodedValue& selector) {
  matcher::DeviceNodes nodes;
  nodes.all = selector.IsNull();
  for (const EncodedValue& json : List(At(selector, "nodeSelectorTerms"))) {
    matcher::LabelTerm term;
    AddRequirements(At(json, "matchExpressions"), false, term);
    AddRequirements(At(json, "matchFields"), true, term);
    if (!term.empty()) nodes.terms.push_back(std::move(term));
  }
  nodes.node = NodeOf(nodes.terms);
  if (!nodes.node.empty()) nodes.terms.clear();
  return nodes;
}

std::optional<ClaimDevices> DecodeAllocation(const EncodedValue& allocation) {
  if (!allocation.IsObject()) return std::nullopt;
  ClaimDevices result;
  for (const EncodedValue& json :
       List(At(At(allocation, "devices"), "results")))
    result.devices.push_back(DecodeResult(json));
  result.nodes = DecodeDeviceNodes(At(allocation, "nodeSelector"));
  return result;
}

ResourceClaim DecodeResourceClaim(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue status = At(object, "status");
  ResourceClaim result;
  DecodeNames(metadata, result);
  result.owner = OwningPod(metadata);
  result.finalizers = Texts(At(metadata, "finalizers"));
  result.terminating = At(metadata, "deletionTimestamp").IsTime();
  result.spec.Own() = DecodeEncodedSpec(At(object, "spec"));
  result.allocation = DecodeAllocation(At(status, "allocation"));
  for (const EncodedValue& json : List(At(status, "reservedFor"))) {
    result.reserved_for.push_back({Text(json, "apiGroup"),
                                   Text(json, "resource"), Text(json, "name"),
                                   Text(json, "uid")});
  }
  for (const EncodedValue& json : List(At(status, "devices")))
    result.statuses.push_back(DecodeStatus(json));
  return result;
}

ResourceClaimTemplate DecodeResourceClaimTemplate(const EncodedValue& object) {
  ResourceClaimTemplate result;
  DecodeNames(At(object, "metadata"), result);
  result.spec = DecodeEncodedSpec(At(At(object, "spec"), "spec"));
  return result;
}

}  // namespace fluxnetes::cluster
