#include "cluster/files/manifest_rules.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "cluster/devices/claim_decoder.h"
#include "cluster/devices/device_decoder.h"
#include "cluster/files/field_rules.h"
#include "cluster/files/job_check.h"
#include "cluster/files/object_name.h"
#include "cluster/files/placement_check.h"
#include "cluster/files/resource_check.h"
#include "cluster/json/objects.h"
#include "cluster/json/run.h"
#include "cluster/objects/pod_template.h"
#include "cluster/structures/structure_sources.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quantity.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Kind = FieldRule::Kind;
using Complaint = std::optional<std::string>;

constexpr std::array kMetadata = {
    FieldRule{"metadata.namespace", Kind::kLabel},
    FieldRule{"metadata.labels", Kind::kLabels},
    FieldRule{"metadata.annotations", Kind::kAnnotations},
    FieldRule{"metadata.ownerReferences[].kind", Kind::kText, true},
    FieldRule{"metadata.ownerReferences[].name", Kind::kText, true},
    FieldRule{"metadata.ownerReferences[].uid", Kind::kText, true},
    FieldRule{"metadata.ownerReferences[].controller", Kind::kFlag}};

// Relative to the spec of a pod.
constexpr std::array kPodSpec = {
    FieldRule{"containers", Kind::kNonEmptyList, true},
    FieldRule{"containers[].name", Kind::kLabel, true},
    FieldRule{"containers[].image", Kind::kNonEmptyText, true},
    FieldRule{"containers[].imagePullPolicy", Kind::kChoice, false,
              "Always IfNotPresent Never"},
    FieldRule{"containers[].env[].name", Kind::kNonEmptyText, true},
    FieldRule{"containers[].env[].value", Kind::kText},
    FieldRule{"containers[].restartPolicy", Kind::kChoice, false,
              "Always OnFailure Never"},
    FieldRule{"containers[].resources.requests", Kind::kQuantities},
    FieldRule{"containers[].resources.limits", Kind::kQuantities},
    FieldRule{"containers[].command", Kind::kTexts},
    FieldRule{"containers[].args", Kind::kTexts},
    FieldRule{"initContainers", Kind::kList},
    FieldRule{"initContainers[].name", Kind::kLabel, true},
    FieldRule{"initContainers[].image", Kind::kNonEmptyText, true},
    FieldRule{"initContainers[].resources.requests", Kind::kQuantities},
    FieldRule{"initContainers[].resources.limits", Kind::kQuantities},
    FieldRule{"initContainers[].restartPolicy", Kind::kChoice, false,
              "Always OnFailure Never"},
    FieldRule{"resources.requests", Kind::kQuantities},
    FieldRule{"resources.limits", Kind::kQuantities},
    FieldRule{"overhead", Kind::kQuantities},
    FieldRule{"restartPolicy", Kind::kChoice, false, "Always OnFailure Never"},
    FieldRule{"schedulerName", Kind::kSubdomain},
    FieldRule{"hostname", Kind::kLabel},
    FieldRule{"subdomain", Kind::kLabel},
    FieldRule{"serviceAccountName", Kind::kSubdomain},
    FieldRule{"nodeName", Kind::kSubdomain},
    FieldRule{"priority", Kind::kInteger},
    FieldRule{"priorityClassName", Kind::kSubdomain},
    FieldRule{"preemptionPolicy", Kind::kChoice, false,
              "Never PreemptLowerPriority"},
    FieldRule{"terminationGracePeriodSeconds", Kind::kCount},
    FieldRule{"activeDeadlineSeconds", Kind::kPositive},
    FieldRule{"schedulingGates", Kind::kList},
    FieldRule{"schedulingGates[].name", Kind::kQualifiedName, true}};

constexpr std::array kNode = {
    FieldRule{"spec.unschedulable", Kind::kFlag},
    FieldRule{"spec.taints[].key", Kind::kText, true},
    FieldRule{"spec.taints[].value", Kind::kText},
    FieldRule{"spec.taints[].effect", Kind::kChoice, true,
              "NoSchedule PreferNoSchedule NoExecute"},
    FieldRule{"status", Kind::kObject, true},
    FieldRule{"status.capacity", Kind::kQuantities},
    FieldRule{"status.allocatable", Kind::kQuantities}};

constexpr std::array kPodGroup = {
    FieldRule{"spec", Kind::kObject, true},
    FieldRule{"spec.minMember", Kind::kPositive},
    FieldRule{"spec.minResources", Kind::kQuantities},
    FieldRule{"spec.scheduleTimeoutSeconds", Kind::kCount},
    FieldRule{"spec.schedulingPolicy", Kind::kObject},
    FieldRule{"spec.schedulingPolicy.basic", Kind::kObject},
    FieldRule{"spec.schedulingPolicy.gang", Kind::kObject},
    FieldRule{"spec.schedulingPolicy.gang.minCount", Kind::kPositive},
    FieldRule{"spec.schedulingConstraints.topology[].key", Kind::kText, true},
    FieldRule{"spec.priority", Kind::kInteger}};

// Returns the first complaint of several checks.
template <typename... Checks>
Complaint FirstOf(Checks... checks) {
  Complaint complaint;
  static_cast<void>(((complaint = checks()).has_value() || ...));
  return complaint;
}

Complaint CheckRun(const Json& object, const std::string& prefix) {
  const Json& annotations = At(At(object, "metadata"), "annotations");
  const auto wrong = [&](const char* name, const char* wanted) {
    return prefix + "metadata.annotations[" + Quote(name) + "] is " +
           Quote(Text(annotations, name)) + "; it must be " + wanted;
  };
  const auto said = [&](const char* name) {
    return At(annotations, name).is_string();
  };
  if (said(kRunSecondsAnnotation) &&
      !ParseSleep(Text(annotations, kRunSecondsAnnotation))) {
    return wrong(kRunSecondsAnnotation, "seconds like 12 or 0.5, or forever");
  }
  for (const char* const name : {kExitCodeAnnotation, kFailFirstAnnotation}) {
    const std::string text = Text(annotations, name);
    const bool number =
        !text.empty() && text.size() <= 6 &&
        text.find_first_not_of("0123456789") == std::string::npos;
    if (said(name) && !number) return wrong(name, "a whole number, 0 or more");
  }
  return std::nullopt;
}

// Each name is there once, and in none of the lists before.
Complaint CheckNamedOnce(const Json& spec, const char* list,
                         const std::string& path,
                         std::set<std::string>& names) {
  const auto& elements = List(At(spec, list));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string name = Text(elements[i], "name");
    if (names.insert(name).second) continue;
    return path + "." + list + "[" + std::to_string(i) + "].name is " +
           Quote(name) + ", which is there before; give each its own";
  }
  return std::nullopt;
}

Complaint CheckNames(const Json& spec, const std::string& path) {
  std::set<std::string> containers;
  std::set<std::string> gates;
  std::set<std::string> volumes;
  return FirstOf(
      [&] { return CheckNamedOnce(spec, "containers", path, containers); },
      [&] { return CheckNamedOnce(spec, "initContainers", path, containers); },
      [&] { return CheckNamedOnce(spec, "schedulingGates", path, gates); },
      [&] { return CheckNamedOnce(spec, "volumes", path, volumes); });
}

// `prefix` is the path to the pod: "" or "spec.template.".
Complaint CheckPod(const Json& object, const std::string& prefix) {
  const Json& spec = At(object, "spec");
  const std::string own =
      prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1);
  return FirstOf(
      [&] { return WhatIsWrong(object, kMetadata, own); },
      [&] { return CheckRun(object, prefix); },
      [&] { return WhatIsWrong(spec, kPodSpec, prefix + "spec"); },
      [&] { return CheckNames(spec, prefix + "spec"); },
      [&] { return WhatIsWrongWithResources(spec, prefix + "spec"); },
      [&] { return WhatIsWrongWithPlacement(spec, prefix + "spec"); });
}

Complaint CheckCapacity(const Json& object) {
  const Json& status = At(object, "status");
  const bool allocatable = At(status, "allocatable").is_object();
  const std::string path =
      allocatable ? "status.allocatable" : "status.capacity";
  for (const char* const amounts : {"capacity", "allocatable"}) {
    if (auto complaint = WhatIsWrongWithOffer(
            At(status, amounts), "status." + std::string(amounts))) {
      return complaint;
    }
  }
  const Resources offer = DecodeNode(object).allocatable;
  if (offer.cpu_milli == 0) {
    return path + " has no cpu; a node needs cpu, like cpu: 32";
  }
  if (offer.memory_bytes == 0) {
    return path + " has no memory; a node needs memory, like memory: 128Gi";
  }
  return std::nullopt;
}

Complaint CheckStructure(const Json& object) {
  const Node node = DecodeNode(object);
  if (!node.structure.Any()) return std::nullopt;
  const std::string place =
      "metadata.annotations[\"" + std::string(kStructureAnnotation) + "\"]";
  StructureTexts texts;
  const ReadText& read = texts.Read(*node.structure);
  if (!read.fault.empty()) return place + ": " + read.fault;
  const std::string less =
      WhatDisagrees(read, node.allocatable, /*exactly=*/false);
  if (!less.empty()) return place + " shows " + less;
  return std::nullopt;
}

constexpr std::array kAnySpec = {FieldRule{"spec", Kind::kObject, true}};
constexpr std::array kSlice = {
    FieldRule{"spec", Kind::kObject, true},
    FieldRule{"spec.driver", Kind::kSubdomain, true},
    FieldRule{"spec.pool", Kind::kObject, true},
    FieldRule{"spec.pool.name", Kind::kNonEmptyText, true},
    FieldRule{"spec.pool.resourceSliceCount", Kind::kPositive, true},
    FieldRule{"spec.nodeName", Kind::kSubdomain},
    FieldRule{"spec.nodeSelector", Kind::kObject},
    FieldRule{"spec.allNodes", Kind::kFlag},
    FieldRule{"spec.devices", Kind::kList},
    FieldRule{"spec.sharedCounters", Kind::kList}};

// A fault of decoding, whose place is relative to the spec.
Complaint InSpec(const std::string& fault) {
  if (fault.empty()) return std::nullopt;
  return "spec." + fault;
}

}  // namespace

Complaint WhatIsWrongWithPod(const Json& object) {
  return FirstOf([&] { return WhatIsWrongWithName(object); },
                 [&] { return WhatIsWrong(object, kAnySpec); },
                 [&] { return CheckPod(object, ""); },
                 [&]() -> Complaint {
                   const Json& spec = At(object, "spec");
                   if (Text(spec, "nodeName").empty() ||
                       List(At(spec, "schedulingGates")).empty()) {
                     return std::nullopt;
                   }
                   return "spec.nodeName is there beside spec.schedulingGates; "
                          "a pod with gates can have no node";
                 });
}

Complaint WhatIsWrongWithJob(const Json& object) {
  return FirstOf([&] { return WhatIsWrongWithName(object); },
                 [&] { return WhatIsWrong(object, kMetadata); },
                 [&] { return WhatIsWrongWithJobSpec(object); },
                 [&] { return WhatIsWrongWithJobName(object); },
                 [&] {
                   return CheckPod(At(At(object, "spec"), "template"),
                                   "spec.template.");
                 });
}

Complaint WhatIsWrongWithNode(const Json& object) {
  return FirstOf([&] { return WhatIsWrongWithName(object); },
                 [&] { return WhatIsWrong(object, kMetadata); },
                 [&] { return WhatIsWrong(object, kNode); },
                 [&] { return CheckCapacity(object); },
                 [&] { return CheckStructure(object); });
}

Complaint WhatIsWrongWithPodGroup(const Json& object) {
  return FirstOf([&] { return WhatIsWrongWithName(object); },
                 [&] { return WhatIsWrong(object, kMetadata); },
                 [&] { return WhatIsWrong(object, kPodGroup); });
}

Complaint WhatIsWrongWithClass(const Json& object) {
  return FirstOf([&] { return WhatIsWrongWithName(object); },
                 [&] { return WhatIsWrong(object, kMetadata); },
                 [&] { return WhatIsWrong(object, kAnySpec); },
                 [&] { return InSpec(DecodeDeviceClass(object).fault); });
}

Complaint WhatIsWrongWithSlice(const Json& object) {
  return FirstOf([&] { return WhatIsWrongWithName(object); },
                 [&] { return WhatIsWrong(object, kMetadata); },
                 [&] { return WhatIsWrong(object, kSlice); },
                 [&] {
                   const auto faults = DecodeResourceSlice(object).faults;
                   return InSpec(faults.empty() ? "" : faults.front());
                 });
}

Complaint WhatIsWrongWithClaim(const Json& object) {
  return FirstOf(
      [&] { return WhatIsWrongWithName(object); },
      [&] { return WhatIsWrong(object, kMetadata); },
      [&] { return WhatIsWrong(object, kAnySpec); },
      [&] { return InSpec(DecodeResourceClaim(object).spec->fault); });
}

Complaint WhatIsWrongWithClaimTemplate(const Json& object) {
  static constexpr std::array kOfClaim = {
      FieldRule{"spec.spec", Kind::kObject, true}};
  return FirstOf(
      [&] { return WhatIsWrongWithName(object); },
      [&] { return WhatIsWrong(object, kMetadata); },
      [&] { return WhatIsWrong(object, kOfClaim); },
      [&] {
        const auto of = DecodeResourceClaimTemplate(object);
        return InSpec(of.spec.fault.empty() ? "" : "spec." + of.spec.fault);
      });
}

}  // namespace fluxnetes::cluster
