#include "cluster/files/manifest.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cluster/devices/claim_decoder.h"
#include "cluster/devices/device_decoder.h"
#include "cluster/files/manifest_rules.h"
#include "cluster/files/object_name.h"
#include "cluster/json/objects.h"
#include "cluster/json/optional_objects.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

struct KnownKind {
  const char* kind;
  const char* api_version;
  std::optional<std::string> (*what_is_wrong)(const Json&);
  std::optional<PodGroupApi> group_api = {};  // of a PodGroup
  bool namespaced = true;
  bool of_devices = false;
};

constexpr const char* kDeviceApi = "resource.k8s.io/v1";

constexpr std::array kKinds = {
    KnownKind{"Pod", "v1", WhatIsWrongWithPod},
    KnownKind{"Job", "batch/v1", WhatIsWrongWithJob},
    KnownKind{"Node", "v1", WhatIsWrongWithNode, {}, false},
    KnownKind{"DeviceClass", kDeviceApi, WhatIsWrongWithClass, {}, false, true},
    KnownKind{
        "ResourceSlice", kDeviceApi, WhatIsWrongWithSlice, {}, false, true},
    KnownKind{
        "ResourceClaim", kDeviceApi, WhatIsWrongWithClaim, {}, true, true},
    KnownKind{"ResourceClaimTemplate",
              kDeviceApi,
              WhatIsWrongWithClaimTemplate,
              {},
              true,
              true},
    KnownKind{"PodGroup", "scheduling.x-k8s.io/v1alpha1",
              WhatIsWrongWithPodGroup, PodGroupApi::kCoscheduling},
    KnownKind{"PodGroup", "scheduling.k8s.io/v1alpha2", WhatIsWrongWithPodGroup,
              PodGroupApi::kNative}};

[[noreturn]] void Refuse(const std::string& place, const std::string& why) {
  throw InputError(place + ": " + why);
}

const KnownKind& KindOf(const Json& object, const std::string& place,
                        const ManifestOptions& options) {
  const std::string kinds =
      std::string("Pod, Job, ") + (options.pod_groups ? "PodGroup, " : "") +
      (options.devices ? "DeviceClass, ResourceSlice, " : "") +
      (options.devices || options.claims
           ? "ResourceClaim, ResourceClaimTemplate, "
           : "") +
      "Node or List";
  if (!object.is_object()) {
    Refuse(place, "not an object of Kubernetes; write apiVersion: and kind:");
  }
  const std::string kind = Text(object, "kind");
  if (kind.empty()) {
    Refuse(place, "kind is missing; it must be " + kinds);
  }
  const std::string version = Text(object, "apiVersion");
  std::string right;
  for (const KnownKind& known : kKinds) {
    if (kind != known.kind || (known.group_api && !options.pod_groups) ||
        (known.of_devices && !options.devices &&
         !(options.claims && known.namespaced)))
      continue;
    if (version == known.api_version) return known;
    right += (right.empty() ? "" : " or ") + std::string(known.api_version);
  }
  if (!right.empty())
    Refuse(place, "apiVersion is " + Quote(version) + "; a " + kind +
                      " must have " + right);
  Refuse(place,
         "kind " + Quote(kind) + " is not supported; it must be " + kinds);
}

Node ReadNode(const Json& object) {
  Node node = DecodeNode(object);
  if (node.allocatable.pods == 0) node.allocatable.pods = kDefaultPods;
  return node;
}

decltype(Manifest::object) Decode(const Json& object, const KnownKind& known) {
  const std::string_view kind = known.kind;
  if (known.group_api) return DecodePodGroup(*known.group_api, object);
  if (kind == "Pod") return DecodePodTemplate(object);
  if (kind == "Node") return ReadNode(object);
  if (kind == "DeviceClass") return DecodeDeviceClass(object);
  if (kind == "ResourceSlice") return DecodeResourceSlice(object);
  if (kind == "ResourceClaim") return DecodeResourceClaim(object);
  if (kind == "ResourceClaimTemplate")
    return DecodeResourceClaimTemplate(object);
  KubernetesJob job = DecodeJob(object);
  job.pod_template.pod.namespace_name = job.namespace_name;
  return job;
}

void GiveName(Json& object, std::uint64_t number) {
  Json& metadata = object["metadata"];
  metadata["name"] = GeneratedName(Text(metadata, "generateName"), number);
}

Manifest ReadNext(Json object, const std::string& place,
                  ManifestOptions options, std::size_t before) {
  if (options.number_names_from) *options.number_names_from += before;
  return ReadManifest(std::move(object), place, options);
}

// Reads the objects of a List, which may not contain Lists, or one object.
void ReadDocument(Json document, const std::string& place,
                  const ManifestOptions& options, std::vector<Manifest>& all) {
  if (Text(document, "kind") != "List") {
    all.push_back(ReadNext(std::move(document), place, options, all.size()));
    return;
  }
  if (!At(document, "items").is_array()) {
    Refuse(place, "items is missing; a List has a list of objects");
  }
  Json& items = document["items"];
  for (std::size_t i = 0; i < items.size(); ++i) {
    all.push_back(ReadNext(std::move(items[i]),
                           place + ": items[" + std::to_string(i) + "]",
                           options, all.size()));
  }
}

}  // namespace

Manifest ReadManifest(Json object, const std::string& place,
                      const ManifestOptions& options) {
  const KnownKind& known = KindOf(object, place, options);
  const Json& metadata = At(object, "metadata");
  const std::string name = Text(metadata, "name");
  const std::string named =
      place + ": " + known.kind + (name.empty() ? "" : " " + Quote(name));
  if (const auto wrong = known.what_is_wrong(object)) Refuse(named, *wrong);
  if (known.namespaced && Text(object["metadata"], "namespace").empty()) {
    object["metadata"]["namespace"] = options.namespace_name;
  }
  if (name.empty() && options.number_names_from) {
    GiveName(object, *options.number_names_from);
  }
  const std::string prefix = Text(object["metadata"], "name").empty()
                                 ? Text(object["metadata"], "generateName")
                                 : "";
  return {Decode(object, known), object.dump(), named, prefix};
}

std::vector<Manifest> ReadManifests(std::string_view text,
                                    const std::string& source,
                                    const ManifestOptions& options) {
  std::vector<Manifest> all;
  ReadYaml(
      text, source,
      [&](Json document, int line) {
        ReadDocument(std::move(document), source + ":" + std::to_string(line),
                     options, all);
      },
      options.limits);
  if (all.empty()) Refuse(source, "holds no object; write a Pod or a Job");
  return all;
}

}  // namespace fluxnetes::cluster
