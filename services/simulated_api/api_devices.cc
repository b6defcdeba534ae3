#include "services/simulated_api/api_devices.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/devices/claim_decoder.h"
#include "cluster/devices/device_decoder.h"
#include "cluster/text/json_field.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {
namespace {

using cluster::At;
using cluster::ClaimOutcome;
using cluster::ResourceClaim;
using cluster::Text;
using cluster::WatchedKind;
using Json = nlohmann::json;

std::string PluralOf(const ServedKind& kind) {
  return std::string(kind.plural) + ".resource.k8s.io";
}

// "uid", "resourceVersion": equal, or not in the patch.
bool Matches(const Json& metadata, const char* key, const std::string& is) {
  const std::string wanted = Text(metadata, key);
  return wanted.empty() || wanted == is;
}

void PatchFinalizers(const Json& metadata, ResourceClaim& claim) {
  for (const Json& each :
       cluster::List(At(metadata, "$deleteFromPrimitiveList/finalizers"))) {
    if (each.is_string()) std::erase(claim.finalizers, each.get<std::string>());
  }
  for (const std::string& each : cluster::Texts(At(metadata, "finalizers"))) {
    if (std::ranges::count(claim.finalizers, each) == 0)
      claim.finalizers.push_back(each);
  }
}

// Entries are merged by UID, as the API does.
void PatchStatus(const Json& status, ResourceClaim& claim) {
  if (status.is_object() && status.contains("allocation"))
    claim.allocation = cluster::DecodeAllocation(At(status, "allocation"));
  for (const Json& each : cluster::List(At(status, "reservedFor"))) {
    const std::string uid = Text(each, "uid");
    std::erase_if(claim.reserved_for,
                  [&](const auto& consumer) { return consumer.uid == uid; });
    if (Text(each, "$patch") == "delete") continue;
    claim.reserved_for.push_back({Text(each, "apiGroup"),
                                  Text(each, "resource"), Text(each, "name"),
                                  uid});
  }
}

}  // namespace

HttpAnswer ApiDevices::Answer(const HttpQuestion& question,
                              const ApiTarget& target, const ServedKind& kind) {
  const std::string& method = question.method;
  const bool claim = kind.kind == WatchedKind::kResourceClaims;
  if (kind.namespaced == target.namespace_name.empty())
    return MethodNotAllowed();
  if (target.name.empty())
    return method == "POST" ? Create(question, target, kind)
                            : MethodNotAllowed();
  if (!target.subresource.empty() && !(claim && target.subresource == "status"))
    return NoSuchPath();
  if (method == "GET") return Get(target, kind);
  if (method == "PATCH" && claim) return Patch(question, target);
  if (method == "DELETE" && target.subresource.empty())
    return Delete(target, kind);
  return MethodNotAllowed();
}

ServedObject ApiDevices::Find(const ApiTarget& target,
                              const ServedKind& kind) const {
  const auto list = ListServed(cluster_, kind.kind, target.namespace_name);
  for (const ServedObject& object : list.objects) {
    const bool same = std::visit(
        [&]<typename Object>(const Object& it) {
          if constexpr (std::is_same_v<Object, cluster::DeviceClassPointer>) {
            return it->device_class.name == target.name;
          } else if constexpr (std::is_same_v<Object,
                                              cluster::ResourceSlicePointer>) {
            return it->slice.name == target.name;
          } else if constexpr (std::is_same_v<Object,
                                              cluster::ResourceClaimPointer> ||
                               std::is_same_v<Object,
                                              cluster::ClaimTemplatePointer>) {
            return it->name == target.name;
          } else {
            return false;
          }
        },
        object);
    if (same) return object;
  }
  return {};
}

HttpAnswer ApiDevices::Get(const ApiTarget& target, const ServedKind& kind,
                           int code) {
  const ServedObject object = Find(target, kind);
  if (object.index() == 0) return NotFound(PluralOf(kind), target.name);
  return services::Answer(code, WriteServed(object));
}

HttpAnswer ApiDevices::Create(const HttpQuestion& question,
                              const ApiTarget& target, const ServedKind& kind) {
  HttpAnswer refusal;
  auto body = ParseBody(question, refusal);
  if (!body) return refusal;
  if (auto mismatch = RefuseMismatch(*body, kind.name, target))
    return *mismatch;
  ApiTarget made = target;
  made.name = Text(At(*body, "metadata"), "name");
  if (made.name.empty())
    return Invalid(kind.name, "", "metadata.name: Required value");
  if (Find(made, kind).index() != 0)
    return AlreadyExists(PluralOf(kind), made.name);
  (*body)["metadata"]["namespace"] = target.namespace_name;
  body->erase("status");
  switch (kind.kind) {
    case WatchedKind::kDeviceClasses:
      cluster_.Put(cluster::DecodeDeviceClass(*body));
      break;
    case WatchedKind::kResourceSlices:
      cluster_.Put(cluster::DecodeResourceSlice(*body));
      break;
    case WatchedKind::kClaimTemplates:
      cluster_.Put(cluster::DecodeResourceClaimTemplate(*body));
      break;
    default:
      cluster_.Put(cluster::DecodeResourceClaim(*body));
  }
  return Get(made, kind, 201);
}

HttpAnswer ApiDevices::Patch(const HttpQuestion& question,
                             const ApiTarget& target) {
  const ServedKind& kind = ServedKindOf(WatchedKind::kResourceClaims);
  HttpAnswer refusal;
  const auto patch = ParseBody(question, refusal);
  if (!patch) return refusal;
  const auto now =
      cluster_.GetResourceClaim(target.namespace_name, target.name);
  if (now == nullptr) return NotFound(PluralOf(kind), target.name);
  const Json& metadata = At(*patch, "metadata");
  if (!Matches(metadata, "uid", now->uid))
    return WrongUid(PluralOf(kind), target.name, Text(metadata, "uid"),
                    now->uid);
  if (!Matches(metadata, "resourceVersion", now->resource_version)) {
    return Conflict(PluralOf(kind), target.name,
                    "the object has been modified");
  }
  ResourceClaim claim = *now;
  if (target.subresource == "status") {
    PatchStatus(At(*patch, "status"), claim);
  } else {
    PatchFinalizers(metadata, claim);
  }
  const auto result = cluster_.Update(claim);
  if (result.outcome == ClaimOutcome::kConflict)
    return Conflict(PluralOf(kind), target.name, result.message);
  if (result.claim == nullptr) {  // it was deleted with its last finalizer
    return services::Answer(
        200, WriteServed(
                 ServedObject(std::make_shared<const ResourceClaim>(claim))));
  }
  return services::Answer(200, WriteServed(ServedObject(result.claim)));
}

HttpAnswer ApiDevices::Delete(const ApiTarget& target, const ServedKind& kind) {
  const std::string& space = target.namespace_name;
  bool done = false;
  switch (kind.kind) {
    case WatchedKind::kDeviceClasses:
      done = cluster_.RemoveDeviceClass(target.name);
      break;
    case WatchedKind::kResourceSlices:
      done = cluster_.RemoveResourceSlice(target.name);
      break;
    case WatchedKind::kClaimTemplates:
      done = cluster_.RemoveClaimTemplate(space, target.name);
      break;
    default:
      done = cluster_.RemoveResourceClaim(space, target.name);
  }
  return done ? Done(200) : NotFound(PluralOf(kind), target.name);
}

}  // namespace fluxnetes::services
