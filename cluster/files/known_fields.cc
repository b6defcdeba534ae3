#include "cluster/files/known_fields.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Paths = std::vector<std::string>;

// The fields of the objects at a path; "[]" stands for each element of a list.
struct Known {
  const char* path;
  const char* fields;  // parted by spaces
};

constexpr std::array kOfAll = {
    Known{"", "apiVersion kind metadata spec status"},
    Known{"metadata",
          "name generateName namespace selfLink uid resourceVersion generation "
          "creationTimestamp deletionTimestamp deletionGracePeriodSeconds "
          "labels annotations ownerReferences finalizers managedFields"},
    Known{"metadata.ownerReferences[]",
          "apiVersion kind name uid controller blockOwnerDeletion"}};

constexpr std::array kOfJobs = {
    Known{"spec",
          "parallelism completions activeDeadlineSeconds podFailurePolicy "
          "successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes "
          "selector manualSelector template ttlSecondsAfterFinished "
          "completionMode suspend podReplacementPolicy managedBy"},
    Known{"spec.podFailurePolicy", "rules"},
    Known{"spec.podFailurePolicy.rules[]",
          "action onExitCodes onPodConditions"},
    Known{"spec.podFailurePolicy.rules[].onExitCodes",
          "containerName operator values"},
    Known{"spec.podFailurePolicy.rules[].onPodConditions[]", "type status"},
    Known{"spec.successPolicy", "rules"},
    Known{"spec.successPolicy.rules[]", "succeededIndexes succeededCount"},
    Known{"spec.template", "metadata spec"}};

constexpr const char* kFieldsOfContainer =
    "name image command args workingDir ports envFrom env resources "
    "resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices "
    "livenessProbe readinessProbe startupProbe lifecycle "
    "terminationMessagePath terminationMessagePolicy imagePullPolicy "
    "securityContext stdin stdinOnce tty";
constexpr const char* kFieldsOfPodTerm =
    "labelSelector namespaces topologyKey namespaceSelector matchLabelKeys "
    "mismatchLabelKeys";
constexpr const char* kFieldsOfTerms =
    "requiredDuringSchedulingIgnoredDuringExecution "
    "preferredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kFieldsOfResources = "limits requests claims";

// Relative to the spec of a pod.
constexpr std::array kOfPods = {
    Known{"",
          "volumes initContainers containers ephemeralContainers restartPolicy "
          "terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy "
          "nodeSelector serviceAccountName serviceAccount "
          "automountServiceAccountToken nodeName hostNetwork hostPID hostIPC "
          "shareProcessNamespace securityContext imagePullSecrets hostname "
          "subdomain affinity schedulerName tolerations hostAliases "
          "priorityClassName priority dnsConfig readinessGates "
          "runtimeClassName enableServiceLinks preemptionPolicy overhead "
          "topologySpreadConstraints setHostnameAsFQDN os hostUsers "
          "schedulingGates resourceClaims resources hostnameOverride "
          "workloadRef schedulingGroup"},
    Known{"containers[]", kFieldsOfContainer},
    Known{"initContainers[]", kFieldsOfContainer},
    Known{"containers[].resources", kFieldsOfResources},
    Known{"initContainers[].resources", kFieldsOfResources},
    Known{"resources", kFieldsOfResources},
    Known{"containers[].ports[]",
          "name hostPort containerPort protocol hostIP"},
    Known{"tolerations[]", "key operator value effect tolerationSeconds"},
    Known{"schedulingGates[]", "name"},
    Known{"affinity", "nodeAffinity podAffinity podAntiAffinity"},
    Known{"affinity.nodeAffinity", kFieldsOfTerms},
    Known{"affinity.podAffinity", kFieldsOfTerms},
    Known{"affinity.podAntiAffinity", kFieldsOfTerms},
    Known{"affinity.podAffinity."
          "requiredDuringSchedulingIgnoredDuringExecution[]",
          kFieldsOfPodTerm},
    Known{"affinity.podAntiAffinity."
          "requiredDuringSchedulingIgnoredDuringExecution[]",
          kFieldsOfPodTerm},
    Known{"topologySpreadConstraints[]",
          "maxSkew topologyKey whenUnsatisfiable labelSelector minDomains "
          "nodeAffinityPolicy nodeTaintsPolicy matchLabelKeys"}};

constexpr std::array kIgnoredOfPods = {"runtimeClassName",
                                       "readinessGates",
                                       "containers[].restartPolicy",
                                       "containers[].restartPolicyRules",
                                       "containers[].lifecycle",
                                       "containers[].livenessProbe",
                                       "containers[].startupProbe",
                                       "initContainers[].startupProbe",
                                       "tolerations[].tolerationSeconds"};

// Calls `take` with each value at the path and its own path. Recurses as deep
// as the path.
template <typename Take>
void Visit(const Json& value, std::string_view path, const std::string& own,
           const Take& take) {
  if (path.empty()) return take(value, own);
  if (path.starts_with("[]")) {
    path.remove_prefix(path.size() > 2 ? 3 : 2);
    const auto& elements = List(value);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      Visit(elements[i], path, own + "[" + std::to_string(i) + "]", take);
    }
    return;
  }
  const auto end = std::min(path.find_first_of(".["), path.size());
  const std::string name(path.substr(0, end));
  path.remove_prefix(end);
  if (path.starts_with('.')) path.remove_prefix(1);
  const Json& member = At(value, name.c_str());
  if (member.is_null()) return;
  Visit(member, path, own.empty() ? name : own + "." + name, take);
}

bool HasWord(std::string_view words, const std::string& word) {
  return (" " + std::string(words) + " ").find(" " + word + " ") !=
         std::string::npos;
}

void FindUnknown(const Json& object, std::span<const Known> all,
                 const std::string& own, Paths& unknown) {
  for (const Known& known : all) {
    Visit(object, known.path, own,
          [&](const Json& at, const std::string& path) {
            if (!at.is_object()) return;
            for (const auto& [name, value] : at.items()) {
              if (HasWord(known.fields, name)) continue;
              unknown.push_back(path.empty() ? name : path + "." + name);
            }
          });
  }
}

const Json& PodSpecOf(const Json& object) {
  const Json& spec = At(object, "spec");
  return Text(object, "kind") == "Job" ? At(At(spec, "template"), "spec")
                                       : spec;
}

std::string PodPathOf(const Json& object) {
  return Text(object, "kind") == "Job" ? "spec.template.spec" : "spec";
}

}  // namespace

Paths UnknownFields(const Json& object) {
  Paths unknown;
  const std::string kind = Text(object, "kind");
  if (kind != "Job" && kind != "Pod") return unknown;
  FindUnknown(object, kOfAll, "", unknown);
  if (kind == "Job") FindUnknown(object, kOfJobs, "", unknown);
  FindUnknown(PodSpecOf(object), kOfPods, PodPathOf(object), unknown);
  return unknown;
}

Paths IgnoredFields(const Json& object) {
  Paths ignored;
  const auto take = [&](const Json&, const std::string& path) {
    ignored.push_back(path);
  };
  if (Text(object, "kind") == "Job") {
    const Json& spec = At(object, "spec");
    if (Flag(spec, "manualSelector")) ignored.emplace_back("spec.selector");
    if (Text(spec, "managedBy", "kubernetes.io/job-controller") !=
        "kubernetes.io/job-controller") {
      ignored.emplace_back("spec.managedBy");
    }
  }
  for (const char* const path : kIgnoredOfPods) {
    Visit(PodSpecOf(object), path, PodPathOf(object), take);
  }
  return ignored;
}

}  // namespace fluxnetes::cluster
