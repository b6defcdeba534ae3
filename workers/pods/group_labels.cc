#include "workers/pods/group_labels.h"

#include <algorithm>
#include <utility>

#include "cluster/text/quote.h"
#include "workers/jobspecs/node_terms.h"
#include "workers/jobspecs/pod_jobspec.h"
#include "workers/labels/device_claims.h"
#include "workers/labels/inside_labels.h"
#include "workers/labels/label_values.h"
#include "workers/labels/marks.h"
#include "workers/labels/set_replica.h"
#include "workers/pods/jobspec_annotation.h"
#include "workers/pods/known_labels.h"
#include "workers/pods/pod_rules.h"
#include "workers/pods/topology_labels.h"
#include "workers/pools/pool_labels.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;

const std::string* Find(const auto& labels, const char* name) {
  const auto found = labels.find(name);
  return found == labels.end() ? nullptr : &found->second;
}

constexpr const char* kJobSetLabel = "jobset.sigs.k8s.io/jobset-name";

std::string NameOf(const cluster::PodGroupName& group) {
  const bool native = group.api == cluster::PodGroupApi::kNative;
  return "PodGroup " + group.namespace_name + "/" + group.name + " (" +
         (native ? "scheduling.k8s.io" : "scheduling.x-k8s.io") + ")";
}

std::optional<TopologyOrder> OrderFor(const cluster::Pod& pod,
                                      const QueueTopologies* topologies) {
  if (topologies == nullptr) return std::nullopt;
  const std::string* const queue = Find(pod.labels, kQueueLabel);
  return OrderOf(queue == nullptr ? "default" : *queue, topologies);
}

cluster::JobAnnotationsPointer KnownJobOf(const cluster::Pod& pod,
                                          const cluster::ClusterCache* cache) {
  const bool of_job = pod.controller && pod.controller->kind == "Job";
  return of_job && cache != nullptr
             ? cache->AnnotationsOfJob(pod.controller->uid)
             : nullptr;
}

// Reads one pod. Each function Try... reads one source of the group and returns
// true if the pod uses it.
class Reader {
 public:
  // A null cache: objects that the pod refers to are unknown, except for its
  // Job. Null topologies: what queues say of levels is not known.
  Reader(const cluster::Pod& pod, const cluster::ClusterCache* cache,
         const QueueTopologies* topologies,
         const cluster::JobAnnotations* job = nullptr)
      : pod_(pod),
        cache_(cache),
        topologies_(topologies),
        order_(OrderFor(pod, topologies)),
        labels_{LonePodGroup(pod), 1, "default", ""},
        our_size_(Find(pod.labels, kGroupSizeLabel)),
        our_max_(Find(pod.labels, kGroupMaxSizeLabel)),
        our_by_(Find(pod.labels, kGroupByLabel)),
        jobspec_(FindJobspec(
            pod, job == nullptr ? KnownJobOf(pod, cache).get() : job)) {
    labels_.duration = pod.active_deadline;
  }

  GroupLabels Read() {
    ReadTopology();
    ReadInside();
    ReadStart();
    ReadMinSize();
    if (our_size_ == nullptr && jobspec_) ReadSizeOfJobspec();
    if (!TryOurs() && !TryFluence() && !TryCoscheduling() && !TryNative() &&
        !TryLeaderWorkerSet() && !TryJob() && !TryFluenceOfJob() &&
        our_size_ != nullptr)
      ReadLoneSize();
    if (our_by_ != nullptr && !by_read_)
      Refuse(
          Refusal(LabelCalled(kGroupByLabel), *our_by_,
                  "it says whose size the label " + std::string(size_label_) +
                      " is on a pod of a Job that names no group",
                  our_size_ == nullptr
                      ? "accompanied by the label " + std::string(size_label_)
                      : "left out"));
    ReadMaxSize();
    ReadQueue();
    if (jobspec_ && labels_.refused.empty())
      Refuse(ReadJobspec(pod_, *jobspec_, topologies_, labels_));
    // Of a larger group it is not known yet how many pods ask for it.
    if (labels_.group_size == 1 && labels_.refused.empty())
      Refuse(WhyNotDivided(labels_.topology, 1, 1));
    // A label that no account has is accepted: the group then belongs to
    // another account.
    Refuse(ReadMark(pod_, kAccountLabel, labels_.account));
    Refuse(ReadMark(pod_, kUserLabel, labels_.user));
    Refuse(WhyUnknownLabel(pod_));
    if (!labels_.refused.empty()) {
      labels_.group_size.reset();
      labels_.max_size.reset();
    }
    return std::move(labels_);
  }

 private:
  void Refuse(std::string why) {
    if (labels_.refused.empty()) labels_.refused = std::move(why);
  }

  void SetName(const std::string& place, const std::string& name) {
    std::string why = WhyNoLabelValue(place, name);
    if (why.empty()) labels_.group_name = name;
    Refuse(std::move(why));
  }
  void SetSize(const std::string& place, const std::string& size) {
    Refuse(ReadSize(place, size, labels_.group_size));
  }

  bool TryOurs() {
    const std::string* const name = Find(pod_.labels, kGroupNameLabel);
    if (name == nullptr) return false;
    SetName(LabelCalled(kGroupNameLabel), *name);
    if (our_size_ != nullptr) SetSize(LabelCalled(size_label_), *our_size_);
    if (our_size_ == nullptr && size_of_jobspec_)
      labels_.group_size = size_of_jobspec_;
    return true;
  }

  // A jobspec gives a named group, and that of a Job, the size that no label
  // gives.
  void ReadSizeOfJobspec() { size_of_jobspec_ = PodsIn(jobspec_->text); }

  // The minimum of an elastic group is its size, so this label is another name
  // for it.
  void ReadMinSize() {
    const std::string* const least = Find(pod_.labels, kGroupMinSizeLabel);
    if (least == nullptr) return;
    if (our_size_ != nullptr && *our_size_ != *least)
      Refuse(Refusal(LabelCalled(kGroupMinSizeLabel), *least,
                     "the label " + std::string(kGroupSizeLabel) + " is " +
                         Quote(*our_size_),
                     "the same, or alone"));
    if (our_max_ == nullptr)
      Refuse(Refusal(
          LabelCalled(kGroupMinSizeLabel), *least, "the group has no maximum",
          "accompanied by the label " + std::string(kGroupMaxSizeLabel)));
    our_size_ = least;
    size_label_ = kGroupMinSizeLabel;
  }

  void ReadMaxSize() {
    if (our_max_ == nullptr || !labels_.refused.empty()) return;
    const std::string place = LabelCalled(kGroupMaxSizeLabel);
    Refuse(ReadSize(place, *our_max_, labels_.max_size));
    if (labels_.group_name == LonePodGroup(pod_))
      Refuse(
          Refusal(place, *our_max_, "the pod names no group",
                  "accompanied by the label " + std::string(kGroupNameLabel)));
    if (labels_.max_size < labels_.group_size)
      Refuse(Refusal(place, *our_max_,
                     "the group starts with " +
                         std::to_string(*labels_.group_size) + " pods",
                     "as many or more"));
  }

  bool TryFluence() {
    std::string refused;
    const auto name = FindMark(pod_, kFluenceNameLabel, refused);
    if (!name) return false;
    SetName(name->place, name->value);
    const auto size = FindMark(pod_, kFluenceSizeLabel, refused);
    if (size) {
      SetSize(size->place, size->value);
    } else {
      SetSizeOfJob();
    }
    Refuse(std::move(refused));
    CheckOurSize(name->place);
    return true;
  }

  // The annotations of a Kubernetes Job may not be known, or not yet.
  void SetSizeOfJob() {
    if (!IsOfJob() || cache_ == nullptr) return;
    const auto job = cache_->AnnotationsOfJob(pod_.controller->uid);
    if (job == nullptr) {
      Refuse("label " + std::string(kFluenceNameLabel) +
             " comes without a size, and the Job " + pod_.controller->name +
             " cannot be read; it must be accompanied by " +
             std::string(kFluenceSizeLabel));
      return;
    }
    SetSizeFromParallelism(*job);
  }
  void SetSizeFromParallelism(const cluster::JobAnnotations& job) {
    labels_.group_size = std::max(1, job.parallelism);
  }

  bool TryCoscheduling() {
    const std::string* const name =
        Find(pod_.labels, cluster::kCoschedulingLabel);
    if (name == nullptr) return false;
    const std::string place = LabelCalled(cluster::kCoschedulingLabel);
    SetName(place, *name);
    if (labels_.refused.empty())
      ReadPodGroup(
          {cluster::PodGroupApi::kCoscheduling, pod_.namespace_name, *name},
          place);
    return true;
  }

  bool TryNative() {
    const std::string& name = pod_.scheduling_group;
    if (name.empty()) return false;
    ReadPodGroup({cluster::PodGroupApi::kNative, pod_.namespace_name, name},
                 "spec.schedulingGroup");
    return true;
  }

  void ReadPodGroup(const cluster::PodGroupName& name,
                    const std::string& place) {
    if (cache_ == nullptr) return;
    const auto group = cache_->PodGroupByName(name);
    if (group == nullptr) {
      labels_.group_name = name.name;
      Refuse(place + " names " + NameOf(name) +
             ", which is not there; its pods wait for it");
      return;
    }
    const bool native = name.api == cluster::PodGroupApi::kNative;
    if (!group->resource_claims.empty())
      Refuse(NameOf(name) +
             " has resourceClaims (dynamic resource allocation), which this "
             "scheduler does not support");
    if (native && !group->min_members && !group->unknown_policy) {
      if (!group->topology.empty())
        Refuse(NameOf(name) +
               " has a topology constraint and the policy basic; this "
               "scheduler keeps pods together by it if the policy is gang");
      return;
    }
    labels_.group_name = name.name;
    if (group->unknown_policy) {
      Refuse(NameOf(name) +
             " has a scheduling policy that is neither gang nor basic");
    } else if (!group->min_members || *group->min_members < 1) {
      Refuse(NameOf(name) + " has no " + (native ? "minCount" : "minMember") +
             " from 1 on");
    } else {
      labels_.group_size = group->min_members;
      labels_.priority = group->priority;
      CheckOurSize(NameOf(name));
      AddTopology(*group);
    }
  }

  void ReadTopology() {
    TopologyLabels read = ReadTopologyLabels(pod_, order_);
    labels_.topology = std::move(read.topology);
    Refuse(std::move(read.refused));
    PoolLabels pools = ReadPoolLabels(pod_);
    labels_.topology.pools = std::move(pools.pools);
    Refuse(std::move(pools.refused));
  }

  void ReadInside() {
    InsideLabels read = ReadInsideLabels(pod_);
    labels_.inside = std::move(read.terms);
    Refuse(std::move(read.refused));
  }

  void ReadStart() {
    StartLabels read = ReadStartLabels(pod_);
    labels_.start = read.terms;
    Refuse(std::move(read.refused));
  }

  // A topology constraint of the PodGroup is a required one.
  void AddTopology(const cluster::PodGroup& group) {
    if (group.topology.empty()) return;
    if (group.topology.size() > 1)
      Refuse(NameOf(group.name) + " has more than one topology constraint");
    std::string& required = labels_.topology.required;
    const std::string& key = group.topology.front();
    if (!required.empty() && required != key)
      Refuse(Refusal(kTopologyRequiredLabel, required,
                     "the group is that of " + NameOf(group.name) +
                         ", which constrains " + key,
                     "the same, or left out"));
    required = key;
    Refuse(WhyTooWide(labels_.topology, order_.value_or(TopologyOrder())));
  }

  bool IsOfJob() const {
    return pod_.controller && pod_.controller->kind == "Job";
  }

  // A leader that comes again has new workers: their StatefulSet belongs to it.
  bool TryLeaderWorkerSet() {
    if (our_by_ == nullptr || *our_by_ != "leaderworkerset") return false;
    by_read_ = true;
    std::string lacks;
    const auto replica = FindSetReplica(pod_, lacks);
    if (!replica)
      Refuse(Refusal(LabelCalled(kGroupByLabel), *our_by_,
                     "the pod is of no LeaderWorkerSet: it has no " + lacks,
                     "left out"));
    if (!labels_.refused.empty()) return true;
    SetName(
        "replica " + replica->replica + " of LeaderWorkerSet " + replica->set,
        replica->set + "-" + replica->replica);
    SetSize(replica->size.place, replica->size.value);
    CheckOurSize("LeaderWorkerSet " + replica->set);
    labels_.begins_group = replica->is_leader;
    return true;
  }

  bool TryJob() {
    if ((our_size_ == nullptr && !size_of_jobspec_) || !IsOfJob()) return false;
    std::optional<std::int32_t> size = size_of_jobspec_.value_or(1);
    if (our_size_ != nullptr)
      Refuse(ReadSize(LabelCalled(size_label_), *our_size_, size));
    if (!labels_.refused.empty()) return true;
    const bool lone = *size == 1 && our_max_ == nullptr;
    by_read_ = lone && our_by_ != nullptr && *our_by_ == "job";
    if (lone && (our_by_ == nullptr || by_read_)) return false;
    labels_.group_size = size;
    labels_.group_name = pod_.controller->name;
    if (our_by_ != nullptr) ReadGroupBy();
    return true;
  }

  void ReadGroupBy() {
    by_read_ = true;
    const std::string place = LabelCalled(kGroupByLabel);
    const std::string* const set = Find(pod_.labels, kJobSetLabel);
    if (*our_by_ == "jobset" && set == nullptr) {
      Refuse(Refusal(place, *our_by_,
                     "the pod is of no JobSet: it has no label " +
                         std::string(kJobSetLabel),
                     "job, or left out"));
    } else if (*our_by_ == "jobset") {
      SetName(LabelCalled(kJobSetLabel), *set);
    } else if (*our_by_ != "job") {
      Refuse(Refusal(place, *our_by_,
                     "a size is that of a Job, a JobSet, or a replica of a "
                     "LeaderWorkerSet",
                     "job, jobset or leaderworkerset"));
    }
  }

  bool TryFluenceOfJob() {
    if (!IsOfJob() || cache_ == nullptr) return false;
    const auto job = cache_->AnnotationsOfJob(pod_.controller->uid);
    if (job == nullptr) return false;
    const std::string* const name = Find(job->annotations, kFluenceNameLabel);
    if (name == nullptr) return false;
    const std::string of = " of Job " + pod_.controller->name;
    SetName("label " + std::string(kFluenceNameLabel) + of, *name);
    if (const std::string* size = Find(job->annotations, kFluenceSizeLabel)) {
      SetSize("label " + std::string(kFluenceSizeLabel) + of, *size);
    } else {
      SetSizeFromParallelism(*job);
    }
    return true;
  }

  void ReadLoneSize() {
    SetSize(LabelCalled(size_label_), *our_size_);
    if (labels_.group_size > 1)
      Refuse(Refusal(
          LabelCalled(size_label_), *our_size_, "the pod names no group",
          "accompanied by the label " + std::string(kGroupNameLabel)));
  }

  // Compares the label with the size from another source.
  void CheckOurSize(const std::string& by) {
    if (our_size_ == nullptr || !labels_.refused.empty()) return;
    std::optional<std::int32_t> size;
    Refuse(ReadSize(LabelCalled(size_label_), *our_size_, size));
    if (size && size != labels_.group_size)
      Refuse(Refusal(LabelCalled(size_label_), *our_size_,
                     "the group is that of " + by + ", of size " +
                         std::to_string(*labels_.group_size),
                     "the same, or left out"));
  }

  void ReadQueue() {
    const std::string* const queue = Find(pod_.labels, kQueueLabel);
    if (queue == nullptr) return;
    std::string why = WhyNoQueue(*queue);
    if (why.empty()) labels_.queue = *queue;
    Refuse(std::move(why));
  }

  const cluster::Pod& pod_;
  const cluster::ClusterCache* const cache_;
  const QueueTopologies* const topologies_;
  const std::optional<TopologyOrder> order_;
  GroupLabels labels_;
  const std::string* our_size_;
  const char* size_label_ = kGroupSizeLabel;
  const std::string* const our_max_;
  const std::string* const our_by_;
  const std::optional<JobspecAnnotation> jobspec_;
  std::optional<std::int32_t> size_of_jobspec_;
  bool by_read_ = false;
};

}  // namespace

std::string LonePodGroup(const cluster::Pod& pod) {
  return "fluxnetes-group-" + pod.namespace_name + "-" + pod.name;
}

GroupLabels ReadGroupTerms(const cluster::Pod& pod,
                           const cluster::ClusterCache& cache,
                           const QueueTopologies* topologies) {
  GroupLabels labels = Reader(pod, &cache, topologies).Read();
  if (labels.refused.empty())
    labels.refused = WhyUnsupported(RequestOf(pod, labels));
  if (labels.refused.empty()) {
    DeviceClaims claims = ReadDeviceClaims(pod, cache);
    labels.claims = std::move(claims.claims);
    labels.refused = std::move(claims.refused);
  }
  if (!labels.refused.empty()) labels.group_size.reset();
  return labels;
}

cluster::PodGroupPointer CoschedulingGroupOf(
    const cluster::Pod& pod, const cluster::ClusterCache& cache) {
  const std::string* const name = Find(pod.labels, cluster::kCoschedulingLabel);
  std::string refused;
  if (name == nullptr || pod.labels.contains(kGroupNameLabel) ||
      FindMark(pod, kFluenceNameLabel, refused))
    return nullptr;
  return cache.PodGroupByName(
      {cluster::PodGroupApi::kCoscheduling, pod.namespace_name, *name});
}

std::optional<std::chrono::milliseconds> ScheduleTimeoutOf(
    const cluster::Pod& pod, const cluster::ClusterCache& cache) {
  const auto group = CoschedulingGroupOf(pod, cache);
  if (group == nullptr || !group->schedule_timeout ||
      group->schedule_timeout->count() <= 0)
    return std::nullopt;
  return group->schedule_timeout;
}

GroupLabels ReadGroupLabels(const cluster::Pod& pod,
                            const cluster::ClusterCache& cache) {
  const QueueTopologies none;
  return Reader(pod, &cache, &none).Read();
}

cluster::PodRequest WithLabels(cluster::PodRequest request,
                               const GroupLabels& labels) {
  request = cluster::WithTopology(std::move(request), labels.topology);
  if (!(request.rules->inside == labels.inside))
    request.rules.Own().inside = labels.inside;
  if (labels.claims && request.rules->resource_claims != *labels.claims)
    request.rules.Own().resource_claims = *labels.claims;
  if (!labels.nodes.empty())
    request.node_affinity = BothOf(request.node_affinity, labels.nodes);
  return request;
}

cluster::PodRequest RequestOf(const cluster::Pod& pod,
                              const GroupLabels& labels) {
  return WithLabels(pod.request, labels);
}

std::optional<std::int64_t> DurationIn(const GroupLabels& labels) {
  if (!labels.duration) return std::nullopt;
  return std::max<std::int64_t>(1, labels.duration->count());
}

std::string WhyLabelsAreRefused(const cluster::Pod& pod,
                                const cluster::JobAnnotations* job) {
  if (job == nullptr) return Reader(pod, nullptr, nullptr).Read().refused;
  cluster::Pod copy = pod;
  if (!copy.controller) copy.controller = cluster::Owner{"Job", "job", ""};
  return Reader(copy, nullptr, nullptr, job).Read().refused;
}

}  // namespace fluxnetes::workers
