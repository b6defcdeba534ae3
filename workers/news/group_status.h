// What the status of a PodGroup should say, made of its pods as the cluster
// shows them.
//
// The coscheduling plugin's (scheduling.x-k8s.io/v1alpha1, PodGroupStatus):
// phase and counts, as its own controller writes them
// (scheduler-plugins, pkg/controllers), so that both may run:
//
//   Pending ──▶ Scheduling ──▶ Running ──▶ Finished
//     fewer pods   too few run    minMember   minMember have succeeded;
//     than         or have        run or      Failed: one has failed, and
//     minMember    succeeded      have        minMember run or have ended
//                                 succeeded
//
// Finished and Failed stay while pods are deleted, until there are enough
// again.
//
// The native one (scheduling.k8s.io): the condition PodGroupScheduled, as
// kube-scheduler writes it: True for good once minCount pods have had a node;
// before, False with the reason Unschedulable, if the scheduler says why.
//
// Pure.
#pragma once

#include <span>
#include <string>

#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

// `why` they cannot be placed; empty if nobody says so.
cluster::PodGroupStatus StatusOf(const cluster::PodGroup& group,
                                 std::span<const cluster::PodPointer> pods,
                                 const std::string& why);

}  // namespace fluxnetes::workers
