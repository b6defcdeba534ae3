// The annotation fluxnetes.jobspec of a pod, or of its Kubernetes Job: what the
// pod's group needs, as a jobspec (jobspecs/pod_jobspec.h). It says all of the
// topology and of the inside of nodes, so the labels and annotations for these
// are refused beside it. A pod and its Job that both have it have the same.
//
// Pure.
// Tests: tests/workers/pods/jobspec_annotation_test.cc.
#pragma once

#include <optional>
#include <string>

#include "cluster/objects/job_annotations.h"
#include "cluster/objects/pod.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {

struct GroupLabels;

struct JobspecAnnotation {
  std::string place;  // "annotation fluxnetes.jobspec of Job train"
  std::string text;
  std::string refused;  // the reason; empty: none
};
// A null Job: the pod has none, or it is unknown.
std::optional<JobspecAnnotation> FindJobspec(
    const cluster::Pod& pod, const cluster::JobAnnotations* job);

// Sets what the jobspec says of the pod and its group, whose size and queue are
// known. The levels are those of the queue that the jobspec itself names, if it
// does. Returns why it is refused; empty: it is not.
std::string ReadJobspec(const cluster::Pod& pod,
                        const JobspecAnnotation& annotation,
                        const QueueTopologies* topologies, GroupLabels& labels);

}  // namespace fluxnetes::workers
