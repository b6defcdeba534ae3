#include "cluster/objects/watched_kind.h"

namespace fluxnetes::cluster {
namespace {

constexpr const char* kNodePaths[] = {"/api/v1/nodes"};
constexpr const char* kPodPaths[] = {"/api/v1/pods"};
constexpr const char* kNamespacePaths[] = {"/api/v1/namespaces"};
constexpr const char* kClassPaths[] = {
    "/apis/storage.k8s.io/v1/storageclasses"};
constexpr const char* kVolumePaths[] = {"/api/v1/persistentvolumes"};
constexpr const char* kClaimPaths[] = {"/api/v1/persistentvolumeclaims"};
constexpr const char* kCoschedulingPaths[] = {
    "/apis/scheduling.x-k8s.io/v1alpha1/podgroups"};
constexpr const char* kNativePaths[] = {
    "/apis/scheduling.k8s.io/v1alpha2/podgroups"};
constexpr const char* kJobPaths[] = {"/apis/batch/v1/jobs"};
constexpr const char* kTopologyPaths[] = {
    "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"};
constexpr const char* kDeviceClassPaths[] = {
    "/apis/resource.k8s.io/v1/deviceclasses"};
constexpr const char* kSlicePaths[] = {
    "/apis/resource.k8s.io/v1/resourceslices"};
constexpr const char* kResourceClaimPaths[] = {
    "/apis/resource.k8s.io/v1/resourceclaims"};

// Indexed by Number().
constexpr std::array<WatchedResource, kWatchedKinds> kResources = {{
    {WatchedKind::kNodes, "nodes", false, kNodePaths},
    {WatchedKind::kPods, "pods", false, kPodPaths},
    {WatchedKind::kNamespaces, "namespaces", true, kNamespacePaths},
    {WatchedKind::kStorageClasses, "storageclasses.storage.k8s.io", true,
     kClassPaths},
    {WatchedKind::kVolumes, "persistentvolumes", true, kVolumePaths},
    {WatchedKind::kVolumeClaims, "persistentvolumeclaims", true, kClaimPaths},
    {WatchedKind::kCoschedulingGroups, "podgroups.scheduling.x-k8s.io", true,
     kCoschedulingPaths},
    {WatchedKind::kNativeGroups, "podgroups.scheduling.k8s.io", true,
     kNativePaths},
    {WatchedKind::kJobs, "jobs.batch", true, kJobPaths},
    {WatchedKind::kNodeTopologies,
     "noderesourcetopologies.topology.node.k8s.io", true, kTopologyPaths},
    {WatchedKind::kDeviceClasses, "deviceclasses.resource.k8s.io", true,
     kDeviceClassPaths},
    {WatchedKind::kResourceSlices, "resourceslices.resource.k8s.io", true,
     kSlicePaths},
    {WatchedKind::kResourceClaims, "resourceclaims.resource.k8s.io", true,
     kResourceClaimPaths},
}};

constexpr std::array<WatchedKind, kWatchedKinds> kInOrder = {
    WatchedKind::kNamespaces,
    WatchedKind::kStorageClasses,
    WatchedKind::kVolumes,
    WatchedKind::kVolumeClaims,
    WatchedKind::kCoschedulingGroups,
    WatchedKind::kNativeGroups,
    WatchedKind::kJobs,
    WatchedKind::kNodeTopologies,
    WatchedKind::kDeviceClasses,
    WatchedKind::kResourceSlices,
    WatchedKind::kResourceClaims,
    WatchedKind::kNodes,
    WatchedKind::kPods};

}  // namespace

const WatchedResource& ResourceOf(WatchedKind kind) {
  return kResources[Number(kind)];
}

std::span<const WatchedKind, kWatchedKinds> WatchedKindsInOrder() {
  return kInOrder;
}

}  // namespace fluxnetes::cluster
