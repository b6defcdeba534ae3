// Which pod group a pod asks to be in. The first of these that says so counts,
// and the others are not looked at:
//
//   1. labels fluxnetes.group-name and fluxnetes.group-size (without it 1)
//   2. fluence.flux-framework.org/pod-group and .../group-size, labels or
//      annotations of the pod (Fluence). Without a size: of a Kubernetes Job
//      its parallelism, else 1
//   3. label scheduling.x-k8s.io/pod-group and the PodGroup that it names
//      (coscheduling); the size is its minMember
//   4. spec.schedulingGroup and the PodGroup that it names (Kubernetes); the
//      size is its gang's minCount; with the policy "basic" there is no group
//   5. label fluxnetes.group-size above 1 on a pod of a Kubernetes Job: the
//      group is named after the Job; with the label fluxnetes.group-by: jobset
//      after the JobSet that the Job is of, whose whole size it is then.
//      (Nothing on its pods says how many a JobSet has.)
//   6. as 2, of the pod's Job instead of the pod
//
// Else the pod is a group of one, named fluxnetes-group-<namespace>-<pod>: a
// Job's pods start together only if somebody said so. The label fluxnetes.queue
// names the scheduling queue; without it "default". What topology the group
// asks for is said by the pod (topology_labels.h) or, for 4, by that PodGroup,
// which also may have a priority of its own. When it may start is said by the
// pod (start_labels.h), and so is who answers for what it uses (accounts.h):
// fluxnetes.account, a label or an annotation.
//
// A group may be elastic: it starts with the pods of its size, which the label
// fluxnetes.group-min-size can say as well, and grows to
// fluxnetes.group-max-size.
//
// A value that cannot be used is refused with a text for people that says what
// is wrong and what would be right; nothing is silently replaced by a default.
// So is fluxnetes.group-size where it differs from what 2, 3 or 4 say, and a
// required level where it differs from what 4 says. A pod whose PodGroup is not
// there is refused until it is.
//
// Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod.h"
#include "workers/pods/start_labels.h"

namespace fluxnetes::workers {

inline constexpr const char* kGroupNameLabel = "fluxnetes.group-name";
inline constexpr const char* kGroupSizeLabel = "fluxnetes.group-size";
inline constexpr const char* kGroupMinSizeLabel = "fluxnetes.group-min-size";
inline constexpr const char* kGroupMaxSizeLabel = "fluxnetes.group-max-size";
inline constexpr const char* kGroupByLabel = "fluxnetes.group-by";
inline constexpr const char* kQueueLabel = "fluxnetes.queue";
inline constexpr const char* kAccountLabel = "fluxnetes.account";
inline constexpr const char* kFluenceNameLabel =
    "fluence.flux-framework.org/pod-group";
inline constexpr const char* kFluenceSizeLabel =
    "fluence.flux-framework.org/group-size";

struct GroupLabels {
  std::string group_name;
  std::optional<std::int32_t> group_size;  // nothing exactly if refused
  std::string queue;
  std::string refused;  // why; empty: the labels can be used
  cluster::GroupTopology topology = {};
  std::optional<std::int32_t> priority = {};  // of the group itself, if any
  StartTerms start = {};
  std::string account = {};                   // empty: it names none
  std::optional<std::int32_t> max_size = {};  // of an elastic group
  bool operator==(const GroupLabels&) const = default;
};

// A refused pod keeps the names that can be used, and the default ones for
// those that cannot, so that it can be recorded and shown.
GroupLabels ReadGroupLabels(const cluster::Pod& pod,
                            const cluster::ClusterCache& cache);

// The same of what else the pod asks for: it is refused, too, if the scheduler
// cannot honour that (pod_rules.h). What intake goes by.
GroupLabels ReadGroupTerms(const cluster::Pod& pod,
                           const cluster::ClusterCache& cache);

// The PodGroup of the coscheduling plugin by which the pod's group goes (3.);
// null if another way counts, or it is not there.
cluster::PodGroupPointer CoschedulingGroupOf(
    const cluster::Pod& pod, const cluster::ClusterCache& cache);
// For how long the pod's group may hold places of which it does not use all, as
// that PodGroup says (scheduleTimeoutSeconds).
std::optional<std::chrono::milliseconds> ScheduleTimeoutOf(
    const cluster::Pod& pod, const cluster::ClusterCache& cache);

// Why the labels of a pod, or of the template of a Kubernetes Job (`of_job`),
// would be refused, as far as can be said before it is created; else empty.
std::string WhyLabelsAreRefused(const cluster::Pod& pod, bool of_job);

// "fluxnetes-group-<namespace>-<pod>".
std::string LonePodGroup(const cluster::Pod& pod);

}  // namespace fluxnetes::workers
