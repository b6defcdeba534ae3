// Computes the status of a PodGroup from its pods in the cluster.
//
// The coscheduling plugin's PodGroup (scheduling.x-k8s.io/v1alpha1,
// PodGroupStatus): phase and counts, as the plugin's own controller writes them
// (scheduler-plugins, pkg/controllers), so that both may run:
//
//   Pending ──▶ Scheduling ──▶ Running ──▶ Finished
//     fewer pods   too few run    minMember   minMember have succeeded;
//     than         or have        run or      Failed: one has failed, and
//     minMember    succeeded      have        minMember run or have ended
//                                 succeeded
//
// Finished and Failed remain while pods are deleted, until there are enough
// pods again.
//
// The native PodGroup (scheduling.k8s.io): the condition PodGroupScheduled, as
// kube-scheduler writes it: True for good once minCount pods have had a node;
// before that False with the reason Unschedulable, if the scheduler gives a
// reason.
//
// Pure.
#pragma once

#include <span>
#include <string>

#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

// `why`: the reason why the pods cannot be placed; empty: none is known.
cluster::PodGroupStatus StatusOf(const cluster::PodGroup& group,
                                 std::span<const cluster::PodPointer> pods,
                                 const std::string& why);

}  // namespace fluxnetes::workers
