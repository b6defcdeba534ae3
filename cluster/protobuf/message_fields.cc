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
constexpr Field OptionalText(std::string_view name, std::uint32_t number) {
  return {.name = name, .number = number, .optional = true};
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
constexpr Field OneAmount(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kQuantity};
}
constexpr Field ManyAmounts(std::string_view name, std::uint32_t number) {
  return {name, number, Type::kQuantity, Shape::kList};
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

constexpr Field MessageMap(std::string_view name, std::uint32_t number,
                           const MessageFields& message) {
  return {name, number, Type::kMessage, Shape::kMap, &message};
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
    Many("ownerReferences", 13, kOwnerReference),
    ManyTexts("finalizers", 14)};
constexpr MessageFields kObjectMeta{kObjectMetaFields};

constexpr Field kListMetaFields[] = {OneText("resourceVersion", 2),
                                     OneText("continue", 3)};
constexpr MessageFields kListMeta{kListMetaFields};

// Every list has the same form.
template <const MessageFields& kItem>
constexpr Field kListFields[] = {One("metadata", 1, kListMeta),
                                 Many("items", 2, kItem)};
template <const MessageFields& kItem>
constexpr MessageFields kListOf{kListFields<kItem>};

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
constexpr MessageFields kSpreadMessage{kSpreadFields};

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
    Many("topologySpreadConstraints", 33, kSpreadMessage),
    Many("schedulingGates", 38, kSchedulingGate),
    Many("resourceClaims", 39, kPodClaim),
    One("resources", 40, kRequirements),
    One("schedulingGroup", 43, kSchedulingGroup)};
constexpr MessageFields kPodSpecMessage{kPodSpecFields};

// Of every kind that has conditions.
constexpr Field kConditionFields[] = {OneText("type", 1), OneText("status", 2),
                                      OneText("reason", 5),
                                      OneText("message", 6)};
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
                                One("spec", 2, kPodSpecMessage),
                                One("status", 3, kPodStatus)};
constexpr MessageFields kPod{kPodFields};

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
constexpr MessageFields kNodeMessage{kNodeFields};

// Of the controllers of pods.

constexpr Field kPodTemplateFields[] = {One("metadata", 1, kObjectMeta)};
constexpr MessageFields kPodTemplate{kPodTemplateFields};

constexpr Field kJobSpecFields[] = {
    OneInteger("parallelism", 1), OneInteger("completions", 2),
    One("template", 6, kPodTemplate), OneInteger("backoffLimit", 7),
    OneFlag("suspend", 10)};
constexpr MessageFields kJobSpecMessage{kJobSpecFields};

constexpr Field kJobStatusFields[] = {
    Many("conditions", 1, kCondition), OneInteger("active", 4),
    OneInteger("succeeded", 5),        OneInteger("failed", 6),
    OneText("completedIndexes", 7),    OneText("failedIndexes", 10)};
constexpr MessageFields kJobStatus{kJobStatusFields};

constexpr Field kJobFields[] = {One("metadata", 1, kObjectMeta),
                                One("spec", 2, kJobSpecMessage),
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

// CronJob, Namespace, and an object of any kind that is read for its metadata.
constexpr Field kMetadataFields[] = {One("metadata", 1, kObjectMeta)};
constexpr MessageFields kMetadataMessage{kMetadataFields};

// Of volumes.

constexpr Field kTopologyRequirementFields[] = {OneText("key", 1),
                                                ManyTexts("values", 2)};
constexpr MessageFields kTopologyRequirement{kTopologyRequirementFields};

constexpr Field kTopologyTermFields[] = {
    Many("matchLabelExpressions", 1, kTopologyRequirement)};
constexpr MessageFields kTopologyTerm{kTopologyTermFields};

constexpr Field kStorageClassFields[] = {
    One("metadata", 1, kObjectMeta), OneText("provisioner", 2),
    OneText("volumeBindingMode", 7),
    Many("allowedTopologies", 8, kTopologyTerm)};
constexpr MessageFields kStorageClass{kStorageClassFields};

constexpr Field kClaimReferenceFields[] = {
    OneText("namespace", 2), OneText("name", 3), OneText("uid", 4)};
constexpr MessageFields kClaimReference{kClaimReferenceFields};

constexpr Field kVolumeNodesFields[] = {One("required", 1, kNodeSelector)};
constexpr MessageFields kVolumeNodes{kVolumeNodesFields};

constexpr Field kPersistentVolumeSpecFields[] = {
    AmountMap("capacity", 1),
    ManyTexts("accessModes", 3),
    One("claimRef", 4, kClaimReference),
    OneText("storageClassName", 6),
    OneText("volumeMode", 8),
    One("nodeAffinity", 9, kVolumeNodes)};
constexpr MessageFields kPersistentVolumeSpec{kPersistentVolumeSpecFields};

// Of a volume and of a claim of one.
constexpr Field kVolumeStatusFields[] = {OneText("phase", 1)};
constexpr MessageFields kVolumeStatus{kVolumeStatusFields};

constexpr Field kPersistentVolumeFields[] = {
    One("metadata", 1, kObjectMeta), One("spec", 2, kPersistentVolumeSpec),
    One("status", 3, kVolumeStatus)};
constexpr MessageFields kPersistentVolume{kPersistentVolumeFields};

// Without a class, or of the class of the empty name.
constexpr Field kPersistentClaimSpecFields[] = {
    ManyTexts("accessModes", 1),
    One("resources", 2, kRequirements),
    OneText("volumeName", 3),
    One("selector", 4, kLabelSelector),
    OptionalText("storageClassName", 5),
    OneText("volumeMode", 6)};
constexpr MessageFields kPersistentClaimSpec{kPersistentClaimSpecFields};

constexpr Field kPersistentClaimFields[] = {
    One("metadata", 1, kObjectMeta), One("spec", 2, kPersistentClaimSpec),
    One("status", 3, kVolumeStatus)};
constexpr MessageFields kPersistentClaim{kPersistentClaimFields};

// Of a PodGroup of scheduling.k8s.io/v1alpha2.

constexpr MessageFields kBasicPolicy{};  // that it is there is enough

constexpr Field kGangPolicyFields[] = {OneInteger("minCount", 1)};
constexpr MessageFields kGangPolicy{kGangPolicyFields};

constexpr Field kGroupPolicyFields[] = {One("basic", 1, kBasicPolicy),
                                        One("gang", 2, kGangPolicy)};
constexpr MessageFields kGroupPolicy{kGroupPolicyFields};

constexpr Field kGroupTopologyFields[] = {OneText("key", 1)};
constexpr MessageFields kGroupTopology{kGroupTopologyFields};

constexpr Field kGroupConstraintsFields[] = {
    Many("topology", 1, kGroupTopology)};
constexpr MessageFields kGroupConstraints{kGroupConstraintsFields};

constexpr Field kGroupClaimFields[] = {OneText("name", 1)};
constexpr MessageFields kGroupClaim{kGroupClaimFields};

constexpr Field kPodGroupSpecFields[] = {
    One("schedulingPolicy", 2, kGroupPolicy),
    One("schedulingConstraints", 3, kGroupConstraints),
    Many("resourceClaims", 4, kGroupClaim), OneInteger("priority", 7)};
constexpr MessageFields kPodGroupSpec{kPodGroupSpecFields};

constexpr Field kPodGroupStatusFields[] = {Many("conditions", 1, kCondition)};
constexpr MessageFields kPodGroupStatus{kPodGroupStatusFields};

constexpr Field kPodGroupFields[] = {One("metadata", 1, kObjectMeta),
                                     One("spec", 2, kPodGroupSpec),
                                     One("status", 3, kPodGroupStatus)};
constexpr MessageFields kPodGroupMessage{kPodGroupFields};

// Of devices (k8s.io/api/resource/v1/generated.proto). What a claim asks for is
// read whole: a request that was understood in part would be given too much.

constexpr Field kOpaqueFields[] = {OneText("driver", 1),
                                   {"parameters", 2, Type::kRaw}};
constexpr MessageFields kOpaque{kOpaqueFields};

constexpr Field kCelFields[] = {OptionalText("expression", 1)};
constexpr MessageFields kCel{kCelFields, true};

constexpr Field kDeviceSelectorFields[] = {One("cel", 1, kCel)};
constexpr MessageFields kDeviceSelector{kDeviceSelectorFields, true};

constexpr Field kClassConfigFields[] = {One("opaque", 1, kOpaque, 1)};
constexpr MessageFields kClassConfig{kClassConfigFields};

constexpr Field kDeviceClassSpecFields[] = {
    Many("selectors", 1, kDeviceSelector), Many("config", 2, kClassConfig),
    OneText("extendedResourceName", 4)};
constexpr MessageFields kDeviceClassSpec{kDeviceClassSpecFields};

constexpr Field kDeviceClassFields[] = {One("metadata", 1, kObjectMeta),
                                        One("spec", 2, kDeviceClassSpec)};
constexpr MessageFields kDeviceClass{kDeviceClassFields};

constexpr Field kResourcePoolFields[] = {OneText("name", 1),
                                         OneInteger("generation", 2),
                                         OneInteger("resourceSliceCount", 3)};
constexpr MessageFields kResourcePool{kResourcePoolFields};

constexpr Field kCounterFields[] = {OneAmount("value", 1)};
constexpr MessageFields kCounter{kCounterFields};

constexpr Field kCounterSetFields[] = {OneText("name", 1),
                                       MessageMap("counters", 2, kCounter)};
constexpr MessageFields kCounterSet{kCounterSetFields};

constexpr Field kCounterUseFields[] = {OneText("counterSet", 1),
                                       MessageMap("counters", 2, kCounter)};
constexpr MessageFields kCounterUse{kCounterUseFields};

constexpr Field kDeviceAttributeFields[] = {
    OneInteger("int", 2), OneFlag("bool", 3), OptionalText("string", 4),
    OptionalText("version", 5)};
constexpr MessageFields kDeviceAttribute{kDeviceAttributeFields};

constexpr Field kRequestRangeFields[] = {
    OneAmount("min", 1), OneAmount("max", 2), OneAmount("step", 3)};
constexpr MessageFields kRequestRange{kRequestRangeFields};

constexpr Field kRequestPolicyFields[] = {OneAmount("default", 1),
                                          ManyAmounts("validValues", 3),
                                          One("validRange", 4, kRequestRange)};
constexpr MessageFields kRequestPolicy{kRequestPolicyFields};

constexpr Field kDeviceCapacityFields[] = {
    OneAmount("value", 1), One("requestPolicy", 2, kRequestPolicy)};
constexpr MessageFields kDeviceCapacity{kDeviceCapacityFields};

constexpr MessageFields kNodeResource{};  // that there is one is enough

constexpr Field kDeviceFields[] = {
    OneText("name", 1),
    MessageMap("attributes", 2, kDeviceAttribute),
    MessageMap("capacity", 3, kDeviceCapacity),
    Many("consumesCounters", 4, kCounterUse),
    OneText("nodeName", 5),
    One("nodeSelector", 6, kNodeSelector),
    OneFlag("allNodes", 7),
    Many("taints", 8, kTaint),
    OneFlag("bindsToNode", 9),
    ManyTexts("bindingConditions", 10),
    ManyTexts("bindingFailureConditions", 11),
    OneFlag("allowMultipleAllocations", 12),
    MessageMap("nodeAllocatableResourceMappings", 13, kNodeResource)};
constexpr MessageFields kDevice{kDeviceFields};

constexpr Field kResourceSliceSpecFields[] = {
    OneText("driver", 1),
    One("pool", 2, kResourcePool),
    OneText("nodeName", 3),
    One("nodeSelector", 4, kNodeSelector),
    OneFlag("allNodes", 5),
    Many("devices", 6, kDevice),
    Many("sharedCounters", 8, kCounterSet)};
constexpr MessageFields kResourceSliceSpec{kResourceSliceSpecFields};

constexpr Field kResourceSliceFields[] = {One("metadata", 1, kObjectMeta),
                                          One("spec", 2, kResourceSliceSpec)};
constexpr MessageFields kResourceSlice{kResourceSliceFields};

constexpr Field kDeviceTolerationFields[] = {
    OneText("key", 1), OneText("operator", 2), OneText("value", 3),
    OneText("effect", 4), OneInteger("tolerationSeconds", 5)};
constexpr MessageFields kDeviceToleration{kDeviceTolerationFields, true};

constexpr Field kCapacityRequestFields[] = {AmountMap("requests", 1)};
constexpr MessageFields kCapacityRequest{kCapacityRequestFields, true};

constexpr Field kExactRequestFields[] = {
    OneText("deviceClassName", 1),
    Many("selectors", 2, kDeviceSelector),
    OneText("allocationMode", 3),
    OneInteger("count", 4),
    OneFlag("adminAccess", 5),
    Many("tolerations", 6, kDeviceToleration),
    One("capacity", 7, kCapacityRequest)};
constexpr MessageFields kExactRequest{kExactRequestFields, true};

constexpr Field kSubRequestFields[] = {
    OneText("name", 1),
    OneText("deviceClassName", 2),
    Many("selectors", 3, kDeviceSelector),
    OneText("allocationMode", 4),
    OneInteger("count", 5),
    Many("tolerations", 6, kDeviceToleration),
    One("capacity", 7, kCapacityRequest)};
constexpr MessageFields kSubRequest{kSubRequestFields, true};

constexpr Field kDeviceRequestFields[] = {
    OneText("name", 1), One("exactly", 2, kExactRequest),
    Many("firstAvailable", 3, kSubRequest)};
constexpr MessageFields kDeviceRequest{kDeviceRequestFields, true};

constexpr Field kDeviceConstraintFields[] = {ManyTexts("requests", 1),
                                             OneText("matchAttribute", 2),
                                             OneText("distinctAttribute", 3)};
constexpr MessageFields kDeviceConstraint{kDeviceConstraintFields, true};

constexpr Field kClaimConfigFields[] = {ManyTexts("requests", 1),
                                        One("opaque", 1, kOpaque, 2)};
constexpr MessageFields kClaimConfig{kClaimConfigFields, true};

constexpr Field kDeviceClaimFields[] = {
    Many("requests", 1, kDeviceRequest),
    Many("constraints", 2, kDeviceConstraint), Many("config", 3, kClaimConfig)};
constexpr MessageFields kDeviceClaim{kDeviceClaimFields, true};

constexpr Field kResourceClaimSpecFields[] = {One("devices", 1, kDeviceClaim)};
constexpr MessageFields kResourceClaimSpec{kResourceClaimSpecFields, true};

constexpr Field kAllocatedDeviceFields[] = {
    OneText("request", 1),
    OneText("driver", 2),
    OneText("pool", 3),
    OneText("device", 4),
    OneFlag("adminAccess", 5),
    Many("tolerations", 6, kDeviceToleration),
    ManyTexts("bindingConditions", 7),
    ManyTexts("bindingFailureConditions", 8),
    OneText("shareID", 9),
    AmountMap("consumedCapacity", 10)};
constexpr MessageFields kAllocatedDevice{kAllocatedDeviceFields};

constexpr Field kAllocatedDevicesFields[] = {
    Many("results", 1, kAllocatedDevice)};
constexpr MessageFields kAllocatedDevices{kAllocatedDevicesFields};

constexpr Field kAllocationFields[] = {One("devices", 1, kAllocatedDevices),
                                       One("nodeSelector", 3, kNodeSelector)};
constexpr MessageFields kAllocation{kAllocationFields};

constexpr Field kClaimConsumerFields[] = {
    OneText("apiGroup", 1), OneText("resource", 3), OneText("name", 4),
    OneText("uid", 5)};
constexpr MessageFields kClaimConsumer{kClaimConsumerFields};

constexpr Field kClaimDeviceStatusFields[] = {
    OneText("driver", 1), OneText("pool", 2), OneText("device", 3),
    Many("conditions", 4, kCondition), OneText("shareID", 7)};
constexpr MessageFields kClaimDeviceStatus{kClaimDeviceStatusFields};

constexpr Field kResourceClaimStatusFields[] = {
    One("allocation", 1, kAllocation), Many("reservedFor", 2, kClaimConsumer),
    Many("devices", 4, kClaimDeviceStatus)};
constexpr MessageFields kResourceClaimStatus{kResourceClaimStatusFields};

constexpr Field kResourceClaimFields[] = {
    One("metadata", 1, kObjectMeta), One("spec", 2, kResourceClaimSpec),
    One("status", 3, kResourceClaimStatus)};
constexpr MessageFields kResourceClaim{kResourceClaimFields};

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
       {"PodList", &kListOf<kPod>},
       {"Node", &kNodeMessage},
       {"NodeList", &kListOf<kNodeMessage>},
       {"Namespace", &kMetadataMessage},
       {"NamespaceList", &kListOf<kMetadataMessage>},
       {"StorageClass", &kStorageClass},
       {"StorageClassList", &kListOf<kStorageClass>},
       {"PersistentVolume", &kPersistentVolume},
       {"PersistentVolumeList", &kListOf<kPersistentVolume>},
       {"PersistentVolumeClaim", &kPersistentClaim},
       {"PersistentVolumeClaimList", &kListOf<kPersistentClaim>},
       {"PodGroup", &kPodGroupMessage},
       {"PodGroupList", &kListOf<kPodGroupMessage>},
       {"Job", &kJob},
       {"JobList", &kListOf<kJob>},
       {"DeviceClass", &kDeviceClass},
       {"DeviceClassList", &kListOf<kDeviceClass>},
       {"ResourceSlice", &kResourceSlice},
       {"ResourceSliceList", &kListOf<kResourceSlice>},
       {"ResourceClaim", &kResourceClaim},
       {"ResourceClaimList", &kListOf<kResourceClaim>},
       {"CronJob", &kMetadataMessage},
       {"ReplicaSet", &kReplicated},
       {"Deployment", &kReplicated},
       {"StatefulSet", &kReplicated},
       {"ReplicationController", &kReplicated},
       {"DaemonSet", &kDaemonSet},
       {"PartialObjectMetadata", &kMetadataMessage},
       {"Status", &kStatus}};
  for (const auto& [name, fields] : kKinds)
    if (name == kind) return fields;
  return nullptr;
}

}  // namespace fluxnetes::cluster
