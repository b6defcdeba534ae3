// Reads Kubernetes manifests as people write them: v1 Pod, batch/v1 Job, v1
// Node and v1 List of these, one document or several, YAML or JSON; on request
// also PodGroup of scheduling.x-k8s.io/v1alpha1 and scheduling.k8s.io/v1alpha2,
// and DeviceClass, ResourceSlice, ResourceClaim and ResourceClaimTemplate of
// resource.k8s.io/v1, with nothing in them that is not supported.
//
// Every field that we use is checked as the API server would check it; other
// fields are ignored. Throws InputError that names the text, the line of the
// document, the object and the field, the fault and the value expected.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cluster/devices/device_objects.h"
#include "cluster/devices/resource_claim.h"
#include "cluster/objects/kubernetes_job.h"
#include "cluster/objects/node.h"
#include "cluster/objects/pod_group.h"
#include "cluster/objects/pod_template.h"
#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {

struct Manifest {
  std::variant<PodTemplate, KubernetesJob, Node, PodGroup, DeviceClass,
               ResourceSlice, ResourceClaim, ResourceClaimTemplate>
      object;
  std::string json;   // as written, with its namespace: to be POSTed
  std::string place;  // "jobs.yaml:12: Job train", for errors
  // The prefix of the name that the API server gives; empty: it has a name.
  std::string generate_name = {};
};

struct ManifestOptions {
  std::string namespace_name = "default";  // for manifests that name none
  YamlLimits limits = {};
  bool pod_groups = false;  // accepts PodGroups
  bool claims = false;      // accepts ResourceClaims and ResourceClaimTemplates
  bool devices = false;     // accepts all these kinds of resource.k8s.io/v1
  // Where nobody else names the objects that have metadata.generateName alone:
  // their names have these numbers, rising (GeneratedName).
  std::optional<std::uint64_t> number_names_from = {};
};

// Returns the manifests in order. `source` names the text in errors. A text
// without a document is an error.
std::vector<Manifest> ReadManifests(std::string_view text,
                                    const std::string& source,
                                    const ManifestOptions& options = {});

// Reads one object that is already JSON; a List is refused.
Manifest ReadManifest(nlohmann::json object, const std::string& place,
                      const ManifestOptions& options = {});

}  // namespace fluxnetes::cluster
