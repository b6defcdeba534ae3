#include "cluster/protobuf/message_fields.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::cluster {
namespace {

using Field = MessageField;
using Shape = Field::Shape;
using Type = Field::Type;

constexpr Field OneText(std::string_view name, std::uint32_t number) {
  return {name, number};
}
constexpr Field ManyTexts(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kText, Shape::kList};
}
constexpr Field TextMap(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kText, Shape::kMap};
}
constexpr Field OneFlag(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kFlag};
}
constexpr Field OneInteger(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kInteger};
}
constexpr Field OneTime(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kTime};
}
constexpr Field AmountMap(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kQuantity, Shape::kMap};
}
constexpr Field One(std::string_view name, std::uint32_t number,
                    const MessageFields& message, std::uint32_t inside = 0) {
  return {name, number, Type::kMessage, Shape::kOne, &message, inside};
}
constexpr Field Many(std::string_view name, std::uint32_t number,
                     const MessageFields& message) {
  return {name, number, Type::kMessage, Shape::kList, &message};
}

constexpr const char* kRequired =
    "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred =
    "preferredDuringSchedulingIgnoredDuringExecution";

// Of every object.

constexpr Field kOwnerReferenceFields[] = {
    OneText("kind", 1), OneText("name", 3), OneText("uid", 4),
    OneText("apiVersion", 5), OneFlag("controller", 6)};
constexpr MessageFields kOwnerReference{kOwnerReferenceFields};

constexpr Field kObjectMetaFields[] = {
    OneText("name", 1),
    OneText("namespace", 3),
    OneText("uid", 5),
    OneText("resourceVersion", 6),
    OneTime("creationTimestamp", 8),
    OneTime("deletionTimestamp", 9),
    TextMap("labels", 11),
    TextMap("annotations", 12),
    Many("ownerReferences", 13, kOwnerReference)};
constexpr MessageFields kObjectMeta{kObjectMetaFields};

constexpr Field kListMetaFields[] = {OneText("resourceVersion", 2),
                                     OneText("continue", 3)};
constexpr MessageFields kListMeta{kListMetaFields};

// Of a node selector and of a label selector.
constexpr Field kRequirementFields[] = {
    OneText("key", 1), OneText("operator", 2), ManyTexts("values", 3)};
constexpr MessageFields kRequirement{kRequirementFields};

constexpr Field kLabelSelectorFields[] = {
    TextMap("matchLabels", 1), Many("matchExpressions", 2, kRequirement)};
constexpr MessageFields kLabelSelector{kLabelSelectorFields};

// Of a pod.

constexpr Field kNodeSelectorTermFields[] = {
    Many("matchExpressions", 1, kRequirement),
    Many("matchFields", 2, kRequirement)};
constexpr MessageFields kNodeSelectorTerm{kNodeSelectorTermFields};

constexpr Field kNodeSelectorFields[] = {
    Many("nodeSelectorTerms", 1, kNodeSelectorTerm)};
constexpr MessageFields kNodeSelector{kNodeSelectorFields};

constexpr Field kPreferredNodesFields[] = {
    OneInteger("weight", 1), One("preference", 2, kNodeSelectorTerm)};
constexpr MessageFields kPreferredNodes{kPreferredNodesFields};

constexpr Field kNodeAffinityFields[] = {One(kRequired, 1, kNodeSelector),
                                         Many(kPreferred, 2, kPreferredNodes)};
constexpr MessageFields kNodeAffinity{kNodeAffinityFields};

constexpr Field kPodAffinityTermFields[] = {
    One("labelSelector", 1, kLabelSelector),
    ManyTexts("namespaces", 2),
    OneText("topologyKey", 3),
    One("namespaceSelector", 4, kLabelSelector),
    ManyTexts("matchLabelKeys", 5),
    ManyTexts("mismatchLabelKeys", 6)};
constexpr MessageFields kPodAffinityTerm{kPodAffinityTermFields};

constexpr Field kPreferredPodsFields[] = {
    OneInteger("weight", 1), One("podAffinityTerm", 2, kPodAffinityTerm)};
constexpr MessageFields kPreferredPods{kPreferredPodsFields};

// PodAffinity and PodAntiAffinity.
constexpr Field kPodAffinityFields[] = {Many(kRequired, 1, kPodAffinityTerm),
                                        Many(kPreferred, 2, kPreferredPods)};
constexpr MessageFields kPodAffinity{kPodAffinityFields};

constexpr Field kAffinityFields[] = {One("nodeAffinity", 1, kNodeAffinity),
                                     One("podAffinity", 2, kPodAffinity),
                                     One("podAntiAffinity", 3, kPodAffinity)};
constexpr MessageFields kAffinity{kAffinityFields};

constexpr Field kTolerationFields[] = {
    OneText("key", 1), OneText("operator", 2), OneText("value", 3),
    OneText("effect", 4)};
constexpr MessageFields kToleration{kTolerationFields};

constexpr Field kSpreadFields[] = {
    OneInteger("maxSkew", 1),        OneText("topologyKey", 2),
    OneText("whenUnsatisfiable", 3), One("labelSelector", 4, kLabelSelector),
    OneInteger("minDomains", 5),     OneText("nodeAffinityPolicy", 6),
    OneText("nodeTaintsPolicy", 7),  ManyTexts("matchLabelKeys", 8)};
constexpr MessageFields kSpread{kSpreadFields};

constexpr Field kRequirementsFields[] = {AmountMap("limits", 1),
                                         AmountMap("requests", 2)};
constexpr MessageFields kRequirements{kRequirementsFields};

constexpr Field kPortFields[] = {OneInteger("hostPort", 2),
                                 OneInteger("containerPort", 3),
                                 OneText("protocol", 4), OneText("hostIP", 5)};
constexpr MessageFields kPort{kPortFields};

constexpr Field kContainerFields[] = {
    OneText("name", 1), Many("ports", 6, kPort),
    One("resources", 8, kRequirements), OneText("restartPolicy", 24)};
constexpr MessageFields kContainer{kContainerFields};

constexpr Field kContainerStatusFields[] = {
    OneText("name", 1), AmountMap("allocatedResources", 10),
    One("resources", 11, kRequirements)};
constexpr MessageFields kContainerStatus{kContainerStatusFields};

constexpr Field kVolumeClaimFields[] = {OneText("claimName", 1)};
constexpr MessageFields kVolumeClaim{kVolumeClaimFields};

constexpr MessageFields kEphemeralVolume{};  // that it is there is enough

constexpr std::uint32_t kVolumeSource = 2;
constexpr Field kVolumeFields[] = {
    OneText("name", 1),
    One("persistentVolumeClaim", 10, kVolumeClaim, kVolumeSource),
    One("ephemeral", 29, kEphemeralVolume, kVolumeSource)};
constexpr MessageFields kVolume{kVolumeFields};

constexpr MessageFields kSchedulingGate{};  // likewise

constexpr Field kSchedulingGroupFields[] = {OneText("podGroupName", 1)};
constexpr MessageFields kSchedulingGroup{kSchedulingGroupFields};

constexpr Field kPodClaimFields[] = {OneText("name", 1),
                                     OneText("resourceClaimName", 3),
                                     OneText("resourceClaimTemplateName", 4)};
constexpr MessageFields kPodClaim{kPodClaimFields};

constexpr Field kPodClaimStatusFields[] = {OneText("name", 1),
                                           OneText("resourceClaimName", 2)};
constexpr MessageFields kPodClaimStatus{kPodClaimStatusFields};

constexpr Field kPodSpecFields[] = {
    Many("volumes", 1, kVolume),
    Many("containers", 2, kContainer),
    OneInteger("terminationGracePeriodSeconds", 4),
    OneInteger("activeDeadlineSeconds", 5),
    TextMap("nodeSelector", 7),
    OneText("nodeName", 10),
    OneFlag("hostNetwork", 11),
    One("affinity", 18, kAffinity),
    OneText("schedulerName", 19),
    Many("initContainers", 20, kContainer),
    Many("tolerations", 22, kToleration),
    OneInteger("priority", 25),
    OneText("preemptionPolicy", 31),
    AmountMap("overhead", 32),
    Many("topologySpreadConstraints", 33, kSpread),
    Many("schedulingGates", 38, kSchedulingGate),
    Many("resourceClaims", 39, kPodClaim),
    One("resources", 40, kRequirements),
    One("schedulingGroup", 43, kSchedulingGroup)};
constexpr MessageFields kPodSpec{kPodSpecFields};

// Of a pod and of a node.
constexpr Field kConditionFields[] = {OneText("type", 1), OneText("status", 2),
                                      OneText("reason", 5)};
constexpr MessageFields kCondition{kConditionFields};

constexpr Field kPodStatusFields[] = {
    OneText("phase", 1),
    Many("conditions", 2, kCondition),
    OneText("reason", 4),
    OneTime("startTime", 7),
    Many("containerStatuses", 8, kContainerStatus),
    Many("initContainerStatuses", 10, kContainerStatus),
    Many("resourceClaimStatuses", 15, kPodClaimStatus),
    AmountMap("allocatedResources", 19),
    One("resources", 20, kRequirements)};
constexpr MessageFields kPodStatus{kPodStatusFields};

constexpr Field kPodFields[] = {One("metadata", 1, kObjectMeta),
                                One("spec", 2, kPodSpec),
                                One("status", 3, kPodStatus)};
constexpr MessageFields kPod{kPodFields};

constexpr Field kPodListFields[] = {One("metadata", 1, kListMeta),
                                    Many("items", 2, kPod)};
constexpr MessageFields kPodList{kPodListFields};

// Of a node.

constexpr Field kTaintFields[] = {OneText("key", 1), OneText("value", 2),
                                  OneText("effect", 3)};
constexpr MessageFields kTaint{kTaintFields};

constexpr Field kNodeSpecFields[] = {OneFlag("unschedulable", 4),
                                     Many("taints", 5, kTaint)};
constexpr MessageFields kNodeSpec{kNodeSpecFields};

constexpr Field kNodeStatusFields[] = {AmountMap("capacity", 1),
                                       AmountMap("allocatable", 2),
                                       Many("conditions", 4, kCondition)};
constexpr MessageFields kNodeStatus{kNodeStatusFields};

constexpr Field kNodeFields[] = {One("metadata", 1, kObjectMeta),
                                 One("spec", 2, kNodeSpec),
                                 One("status", 3, kNodeStatus)};
constexpr MessageFields kNode{kNodeFields};

constexpr Field kNodeListFields[] = {One("metadata", 1, kListMeta),
                                     Many("items", 2, kNode)};
constexpr MessageFields kNodeList{kNodeListFields};

// Of the controllers of pods.

constexpr Field kPodTemplateFields[] = {One("metadata", 1, kObjectMeta)};
constexpr MessageFields kPodTemplate{kPodTemplateFields};

constexpr Field kJobSpecFields[] = {
    OneInteger("parallelism", 1), OneInteger("completions", 2),
    One("template", 6, kPodTemplate), OneInteger("backoffLimit", 7),
    OneFlag("suspend", 10)};
constexpr MessageFields kJobSpec{kJobSpecFields};

constexpr Field kJobStatusFields[] = {
    Many("conditions", 1, kCondition), OneInteger("active", 4),
    OneInteger("succeeded", 5),        OneInteger("failed", 6),
    OneText("completedIndexes", 7),    OneText("failedIndexes", 10)};
constexpr MessageFields kJobStatus{kJobStatusFields};

constexpr Field kJobFields[] = {One("metadata", 1, kObjectMeta),
                                One("spec", 2, kJobSpec),
                                One("status", 3, kJobStatus)};
constexpr MessageFields kJob{kJobFields};

constexpr Field kReplicasFields[] = {OneInteger("replicas", 1)};
constexpr MessageFields kReplicas{kReplicasFields};

// ReplicaSet, Deployment, StatefulSet and ReplicationController.
constexpr Field kReplicatedFields[] = {One("metadata", 1, kObjectMeta),
                                       One("spec", 2, kReplicas)};
constexpr MessageFields kReplicated{kReplicatedFields};

constexpr Field kDaemonStatusFields[] = {
    OneInteger("desiredNumberScheduled", 3)};
constexpr MessageFields kDaemonStatus{kDaemonStatusFields};

constexpr Field kDaemonSetFields[] = {One("metadata", 1, kObjectMeta),
                                      One("status", 3, kDaemonStatus)};
constexpr MessageFields kDaemonSet{kDaemonSetFields};

// CronJob, and an object of any kind that is read for its metadata.
constexpr Field kMetadataFields[] = {One("metadata", 1, kObjectMeta)};
constexpr MessageFields kMetadata{kMetadataFields};

// What the API server answers when it refuses.
constexpr Field kStatusFields[] = {OneText("message", 3),
                                   OneInteger("code", 6)};
constexpr MessageFields kStatus{kStatusFields};

}  // namespace

const MessageField* MessageFields::Find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &MessageField::name);
  return found == fields.end() ? nullptr : &*found;
}

const MessageFields* FieldsOfKind(std::string_view kind) {
  static constexpr std::pair<std::string_view, const MessageFields*> kKinds[] =
      {{"Pod", &kPod},
       {"PodList", &kPodList},
       {"Node", &kNode},
       {"NodeList", &kNodeList},
       {"Job", &kJob},
       {"CronJob", &kMetadata},
       {"ReplicaSet", &kReplicated},
       {"Deployment", &kReplicated},
       {"StatefulSet", &kReplicated},
       {"ReplicationController", &kReplicated},
       {"DaemonSet", &kDaemonSet},
       {"PartialObjectMetadata", &kMetadata},
       {"Status", &kStatus}};
  for (const auto& [name, fields] : kKinds)
    if (name == kind) return fields;
  return nullptr;
}

}  // namespace fluxnetes::cluster
