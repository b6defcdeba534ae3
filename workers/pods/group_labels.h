// Reads which pod group a pod belongs to. The first of these sources that the
// pod has counts; the later ones are not read:
//
//   1. labels fluxnetes.group-name and fluxnetes.group-size (without it 1)
//   2. fluence.flux-framework.org/pod-group and .../group-size, labels or
//      annotations of the pod (Fluence). Without a size: the parallelism of its
//      Kubernetes Job, else 1
//   3. label scheduling.x-k8s.io/pod-group and the PodGroup that it names
//      (coscheduling); the size is its minMember
//   4. spec.schedulingGroup and the PodGroup that it names (Kubernetes); the
//      size is its gang's minCount; with the policy "basic" there is no group
//   5. label fluxnetes.group-size above 1 on a pod of a Kubernetes Job: the
//      group is named after the Job; with the label fluxnetes.group-by: jobset
//      after the Job's JobSet, and the size is that of the whole JobSet.
//      (Nothing on its pods shows how many a JobSet has.)
//   6. label fluxnetes.group-by: leaderworkerset on a pod of a LeaderWorkerSet:
//      each replica is a group. Its name is that of the replica's leader, made
//      of the labels leaderworkerset.sigs.k8s.io/name and .../group-index, and
//      the annotation .../size has its size
//   7. as 2, of the pod's Job instead of the pod
//
// Otherwise the pod is a group of one, named fluxnetes-group-<namespace>-<pod>:
// the pods of a Job start together only if that is requested. The label
// fluxnetes.queue names the scheduling queue; without it "default". The
// topology of the group is read from the pod (topology_labels.h) or, for source
// 4, from its PodGroup, which may also have a priority of its own. What the
// group needs of pools is part of the topology (pool_labels.h). The pod's
// labels or annotations give the start times (start_labels.h) and the account
// (accounts.h, fluxnetes.account) and the user whose usage it is
// (fluxnetes.user). Each pod may ask for a part of its node
// (inside_labels.h). A jobspec says all of that in one annotation, and gives a
// group of a Job its size (jobspec_annotation.h).
//
// A group may be elastic: it starts with the pods of its size, for which the
// label fluxnetes.group-min-size is another name, and grows to
// fluxnetes.group-max-size.
//
// A value that cannot be used is refused with a text for people that states the
// fault and a correct value; no value is silently replaced by a default. A
// fluxnetes.group-size that differs from source 2, 3 or 4 is refused too, as is
// a required level that differs from source 4. A pod whose PodGroup does not
// exist is refused until it does.
//
// Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod.h"
#include "workers/labels/label_values.h"
#include "workers/pods/start_labels.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {

inline constexpr const char* kGroupNameLabel = "fluxnetes.group-name";
inline constexpr const char* kGroupSizeLabel = "fluxnetes.group-size";
inline constexpr const char* kGroupMinSizeLabel = "fluxnetes.group-min-size";
inline constexpr const char* kGroupMaxSizeLabel = "fluxnetes.group-max-size";
inline constexpr const char* kGroupByLabel = "fluxnetes.group-by";
inline constexpr const char* kAccountLabel = "fluxnetes.account";
inline constexpr const char* kUserLabel = "fluxnetes.user";
inline constexpr const char* kFluenceNameLabel =
    "fluence.flux-framework.org/pod-group";
inline constexpr const char* kFluenceSizeLabel =
    "fluence.flux-framework.org/group-size";

struct GroupLabels {
  std::string group_name;
  // Nothing if and only if the pod is refused.
  std::optional<std::int32_t> group_size;
  std::string queue;
  std::string refused;  // the reason; empty: the labels can be used
  cluster::GroupTopology topology = {};
  cluster::InsideTerms inside = {};  // of this pod, whatever others ask
  // Nodes for this pod, besides its own node affinity: one must hold.
  std::vector<cluster::NodeSelectorTerm> nodes = {};
  // How long the group may run: the pod's deadline, or that of its jobspec.
  std::optional<std::chrono::seconds> duration = {};
  std::optional<std::int32_t> priority = {};  // of the PodGroup, if it has one
  StartTerms start = {};
  std::string account = {};  // empty: none
  std::string user = {};     // whom usage is accounted to; empty: none
  std::optional<std::int32_t> max_size = {};  // of an elastic group
  // A pod with which a group begins: it replaces no member of an earlier group
  // of its name, as all of its pods come anew.
  bool begins_group = false;
  // The claims of devices of this pod, with their specs; nothing: they were not
  // looked up.
  std::optional<std::vector<cluster::RequestedClaim>> claims = {};
  bool operator==(const GroupLabels&) const = default;
};

// A refused pod keeps the names that are valid, and default names in place of
// the others, so that it can be recorded and shown.
GroupLabels ReadGroupLabels(const cluster::Pod& pod,
                            const cluster::ClusterCache& cache);

// Reads the labels and checks the pod's other requests, too: the pod is refused
// if the scheduler cannot honour them (pod_rules.h). Used by intake.
// `topologies` null: what queues say of levels is not known.
GroupLabels ReadGroupTerms(const cluster::Pod& pod,
                           const cluster::ClusterCache& cache,
                           const QueueTopologies* topologies);

// The PodGroup of the coscheduling plugin that defines the pod's group (source
// 3). Null if another source counts, or the PodGroup does not exist.
cluster::PodGroupPointer CoschedulingGroupOf(
    const cluster::Pod& pod, const cluster::ClusterCache& cache);
// How long the pod's group may hold places without using all of them, as its
// coscheduling PodGroup sets it (scheduleTimeoutSeconds).
std::optional<std::chrono::milliseconds> ScheduleTimeoutOf(
    const cluster::Pod& pod, const cluster::ClusterCache& cache);

// Returns the request with what the labels of its pod ask.
cluster::PodRequest WithLabels(cluster::PodRequest request,
                               const GroupLabels& labels);
// Returns the pod's request with what its labels ask.
cluster::PodRequest RequestOf(const cluster::Pod& pod,
                              const GroupLabels& labels);

// At least 1; nothing: no limit.
std::optional<std::int64_t> DurationIn(const GroupLabels& labels);

// Why the labels of a pod, or of the template of a Kubernetes Job with these
// labels and annotations (null: the pod has none), would be refused, as far as
// is known before it is created; else empty.
std::string WhyLabelsAreRefused(const cluster::Pod& pod,
                                const cluster::JobAnnotations* job);

// "fluxnetes-group-<namespace>-<pod>".
std::string LonePodGroup(const cluster::Pod& pod);

}  // namespace fluxnetes::workers
