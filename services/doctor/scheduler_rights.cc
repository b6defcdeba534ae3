#include "services/doctor/scheduler_rights.h"

namespace fluxnetes::services {
namespace {

constexpr std::string_view kSeesPods = "to see pods";
constexpr std::string_view kBindsPods = "to bind pods to nodes";
constexpr std::string_view kEndsPods =
    "to end pods at their deadline or for others";
constexpr std::string_view kTellsPods = "to say on pods why they wait";
constexpr std::string_view kSeesNodes = "to see nodes";
constexpr std::string_view kSeesNamespaces =
    "affinity that selects namespaces by their labels";
constexpr std::string_view kEvents = "events";
constexpr std::string_view kOwners =
    "to know whether a failed pod will be replaced, and what is above it";
constexpr std::string_view kSeesJobs = "Jobs that name a group in their labels";
constexpr std::string_view kEndsJobs = "to delete Jobs at their deadline";
constexpr std::string_view kPodGroups = "groups by PodGroup objects";
constexpr std::string_view kTellsPodGroups = "the status of PodGroups";
constexpr std::string_view kTopologies =
    "what nodes have inside, from NodeResourceTopology";
constexpr std::string_view kVolumes = "pods with volumes";
constexpr std::string_view kDevices = "pods with claims of devices";
constexpr std::string_view kEndsOwners = "queues with deadline_action owner";

constexpr SchedulerRight kRights[] = {
    {"", "pods", "", "get", kSeesPods},
    {"", "pods", "", "list", kSeesPods},
    {"", "pods", "", "watch", kSeesPods},
    {"", "pods", "", "patch", kBindsPods},
    {"", "pods", "", "delete", kEndsPods},
    {"", "pods", "binding", "create", kBindsPods},
    {"", "pods", "status", "patch", kTellsPods},
    {"", "nodes", "", "list", kSeesNodes},
    {"", "nodes", "", "watch", kSeesNodes},
    {"", "namespaces", "", "list", kSeesNamespaces},
    {"", "namespaces", "", "watch", kSeesNamespaces},
    {"", "events", "", "create", kEvents},
    {"", "replicationcontrollers", "", "get", kOwners},
    {"apps", "daemonsets", "", "get", kOwners},
    {"apps", "deployments", "", "get", kOwners},
    {"apps", "replicasets", "", "get", kOwners},
    {"apps", "statefulsets", "", "get", kOwners},
    {"batch", "cronjobs", "", "get", kOwners},
    {"batch", "jobs", "", "get", kOwners},
    {"batch", "jobs", "", "list", kSeesJobs},
    {"batch", "jobs", "", "watch", kSeesJobs},
    {"batch", "jobs", "", "delete", kEndsJobs},
    {"jobset.x-k8s.io", "jobsets", "", "get", kOwners},
    {"kubeflow.org", "jaxjobs", "", "get", kOwners},
    {"kubeflow.org", "mpijobs", "", "get", kOwners},
    {"kubeflow.org", "pytorchjobs", "", "get", kOwners},
    {"kubeflow.org", "tfjobs", "", "get", kOwners},
    {"kubeflow.org", "xgboostjobs", "", "get", kOwners},
    {"trainer.kubeflow.org", "trainjobs", "", "get", kOwners},
    {"ray.io", "rayclusters", "", "get", kOwners},
    {"ray.io", "rayjobs", "", "get", kOwners},
    {"ray.io", "rayservices", "", "get", kOwners},
    {"flux-framework.org", "miniclusters", "", "get", kOwners},
    {"leaderworkerset.x-k8s.io", "leaderworkersets", "", "get", kOwners},
    {"argoproj.io", "workflows", "", "get", kOwners},
    {"sparkoperator.k8s.io", "sparkapplications", "", "get", kOwners},
    {"kubernetes.dask.org", "daskclusters", "", "get", kOwners},
    {"kubernetes.dask.org", "daskjobs", "", "get", kOwners},
    {"scheduling.k8s.io", "podgroups", "", "list", kPodGroups},
    {"scheduling.k8s.io", "podgroups", "", "watch", kPodGroups},
    {"scheduling.k8s.io", "podgroups", "status", "patch", kTellsPodGroups},
    {"scheduling.x-k8s.io", "podgroups", "", "list", kPodGroups},
    {"scheduling.x-k8s.io", "podgroups", "", "watch", kPodGroups},
    {"scheduling.x-k8s.io", "podgroups", "status", "patch", kTellsPodGroups},
    {"topology.node.k8s.io", "noderesourcetopologies", "", "list", kTopologies},
    {"topology.node.k8s.io", "noderesourcetopologies", "", "watch",
     kTopologies},
    {"", "persistentvolumeclaims", "", "list", kVolumes},
    {"", "persistentvolumeclaims", "", "watch", kVolumes},
    {"", "persistentvolumeclaims", "", "patch", kVolumes},
    {"", "persistentvolumes", "", "list", kVolumes},
    {"", "persistentvolumes", "", "watch", kVolumes},
    {"storage.k8s.io", "storageclasses", "", "list", kVolumes},
    {"storage.k8s.io", "storageclasses", "", "watch", kVolumes},
    {"resource.k8s.io", "deviceclasses", "", "list", kDevices},
    {"resource.k8s.io", "deviceclasses", "", "watch", kDevices},
    {"resource.k8s.io", "resourceslices", "", "list", kDevices},
    {"resource.k8s.io", "resourceslices", "", "watch", kDevices},
    {"resource.k8s.io", "resourceclaims", "", "get", kDevices},
    {"resource.k8s.io", "resourceclaims", "", "list", kDevices},
    {"resource.k8s.io", "resourceclaims", "", "watch", kDevices},
    {"resource.k8s.io", "resourceclaims", "", "patch", kDevices},
    {"resource.k8s.io", "resourceclaims", "binding", "patch", kDevices},
    {"resource.k8s.io", "resourceclaims", "status", "patch", kDevices},
    {"", "replicationcontrollers", "", "delete", kEndsOwners, true},
    {"apps", "daemonsets", "", "delete", kEndsOwners, true},
    {"apps", "deployments", "", "delete", kEndsOwners, true},
    {"apps", "replicasets", "", "delete", kEndsOwners, true},
    {"apps", "statefulsets", "", "delete", kEndsOwners, true},
    {"batch", "cronjobs", "", "delete", kEndsOwners, true},
    {"jobset.x-k8s.io", "jobsets", "", "delete", kEndsOwners, true},
    {"kubeflow.org", "jaxjobs", "", "delete", kEndsOwners, true},
    {"kubeflow.org", "mpijobs", "", "delete", kEndsOwners, true},
    {"kubeflow.org", "pytorchjobs", "", "delete", kEndsOwners, true},
    {"kubeflow.org", "tfjobs", "", "delete", kEndsOwners, true},
    {"kubeflow.org", "xgboostjobs", "", "delete", kEndsOwners, true},
    {"trainer.kubeflow.org", "trainjobs", "", "delete", kEndsOwners, true},
    {"ray.io", "rayclusters", "", "delete", kEndsOwners, true},
    {"ray.io", "rayjobs", "", "delete", kEndsOwners, true},
    {"ray.io", "rayservices", "", "delete", kEndsOwners, true},
    {"flux-framework.org", "miniclusters", "", "delete", kEndsOwners, true},
    {"leaderworkerset.x-k8s.io", "leaderworkersets", "", "delete", kEndsOwners,
     true},
    {"argoproj.io", "workflows", "", "delete", kEndsOwners, true},
    {"sparkoperator.k8s.io", "sparkapplications", "", "delete", kEndsOwners,
     true},
    {"kubernetes.dask.org", "daskclusters", "", "delete", kEndsOwners, true},
    {"kubernetes.dask.org", "daskjobs", "", "delete", kEndsOwners, true}};

}  // namespace

std::span<const SchedulerRight> SchedulerRights() { return kRights; }

}  // namespace fluxnetes::services
