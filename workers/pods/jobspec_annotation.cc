#include "workers/pods/jobspec_annotation.h"

#include <array>

#include "cluster/text/quote.h"
#include "matcher/jobspec/jobspec.h"
#include "workers/jobspecs/node_terms.h"
#include "workers/jobspecs/pod_jobspec.h"
#include "workers/labels/inside_labels.h"
#include "workers/labels/label_values.h"
#include "workers/pods/group_labels.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

constexpr std::array kSaidByJobspecs = {kTopologyRequiredLabel,
                                        kTopologyPreferredLabel,
                                        kExclusiveLabel,
                                        kPodsPerNodeLabel,
                                        kAlignLabel,
                                        kAlignPreferredLabel,
                                        kCpusLabel};

const std::string* TextIn(const auto& annotations) {
  const auto found = annotations.find(kJobspecAnnotation);
  return found == annotations.end() ? nullptr : &found->second;
}

// Why the pod may not have the annotation beside what else it has.
std::string WhyConflicts(const cluster::Pod& pod, const std::string& place,
                         const cluster::GroupTopology& topology) {
  for (const char* const name : kSaidByJobspecs) {
    const bool label = pod.labels.contains(name);
    if (!label && !pod.annotations.contains(name)) continue;
    return Refusal((label ? "label " : "annotation ") + std::string(name),
                   label ? pod.labels.at(name) : pod.annotations.at(name),
                   "the " + place + " says all of it", "left out");
  }
  cluster::GroupTopology none;
  none.aside = topology.aside;
  none.pools = topology.pools;
  if (topology == none) return "";
  return place +
         ": the group's PodGroup, or annotations of Kueue, have a topology, of "
         "which the jobspec says all; one of both must be left out";
}

}  // namespace

std::optional<JobspecAnnotation> FindJobspec(
    const cluster::Pod& pod, const cluster::JobAnnotations* job) {
  const std::string* const own = TextIn(pod.annotations);
  const std::string place = "annotation " + std::string(kJobspecAnnotation);
  const std::string* const of_its_job =
      job == nullptr ? nullptr : TextIn(job->annotations);
  if (own == nullptr && of_its_job == nullptr) return std::nullopt;
  if (own == nullptr)
    return JobspecAnnotation{
        place + " of Job " + pod.controller->name, *of_its_job, {}};
  JobspecAnnotation found{place, *own, {}};
  if (of_its_job != nullptr && *of_its_job != *own)
    found.refused = place + ": the pod's Job " + pod.controller->name +
                    " has another one; both must be the same, or one left out";
  return found;
}

std::string ReadJobspec(const cluster::Pod& pod,
                        const JobspecAnnotation& annotation,
                        const QueueTopologies* topologies,
                        GroupLabels& labels) {
  if (!annotation.refused.empty()) return annotation.refused;
  const std::string& place = annotation.place;
  if (auto why = WhyConflicts(pod, place, labels.topology); !why.empty())
    return why;
  PodJobspec read =
      ReadPodJobspec(annotation.text, {.group_size = labels.group_size,
                                       .max_size = labels.max_size,
                                       .resources = pod.request.resources});
  if (!read.refused.empty()) return place + ": " + read.refused;
  if (labels.topology.aside && read.topology.whole_nodes)
    return place +
           ": has exclusive nodes, but a pod of a DaemonSet shares its node "
           "with all others; nodes that are not exclusive are right";
  try {
    BothOf(pod.request.node_affinity, read.nodes);
  } catch (const matcher::JobspecError& error) {
    return place + ": with the node affinity of the pod, " + error.what();
  }
  const auto queue = pod.labels.find(kQueueLabel);
  const bool queue_differs =
      queue != pod.labels.end() && queue->second != read.queue;
  if (!read.queue.empty() && queue_differs)
    return place + ": attributes.system.queue: is " +
           cluster::Quote(read.queue) + ", but the label " +
           std::string(kQueueLabel) + " is " + cluster::Quote(queue->second) +
           "; both must be the same, or one left out";
  if (!read.queue.empty()) {
    if (auto why = WhyNoQueue(read.queue); !why.empty())
      return place + ": attributes.system.queue: " + why;
    labels.queue = read.queue;
  }
  const TopologyOrder order = OrderOf(labels.queue, topologies);
  read.topology.aside = labels.topology.aside;
  read.topology.pools = labels.topology.pools;  // no matter of jobspecs
  for (cluster::TopologyLevel& part : read.topology.required_parts)
    part.key = KeyOfLevel(part.key, order);
  read.topology.required = KeyOfLevel(read.topology.required, order);
  labels.topology = std::move(read.topology);
  labels.inside.jobspec = std::move(read.inside);
  labels.nodes = std::move(read.nodes);
  if (!pod.active_deadline) labels.duration = read.duration;
  return "";
}

}  // namespace fluxnetes::workers
