#include "workers/group_labels.h"

#include <algorithm>
#include <utility>

#include "cluster/quote.h"
#include "workers/label_values.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;

const std::string* Find(const auto& labels, const char* name) {
  const auto found = labels.find(name);
  return found == labels.end() ? nullptr : &found->second;
}

// What names a group: where it stands, and what it says.
struct Mark {
  std::string place;  // "label fluxnetes.group-name"
  std::string value;
};

// A label or annotation of the pod; both must say the same.
std::optional<Mark> FindMark(const cluster::Pod& pod, const char* name,
                             std::string& refused) {
  const std::string* const label = Find(pod.labels, name);
  const std::string* const annotation = Find(pod.annotations, name);
  if (label == nullptr && annotation == nullptr) return std::nullopt;
  if (label != nullptr && annotation != nullptr && *label != *annotation)
    refused = "label and annotation " + std::string(name) + " are " +
              Quote(*label) + " and " + Quote(*annotation) +
              ": they must be the same";
  return Mark{(label != nullptr ? "label " : "annotation ") + std::string(name),
              label != nullptr ? *label : *annotation};
}

std::string NameOf(const cluster::PodGroupName& group) {
  const bool native = group.api == cluster::PodGroupApi::kNative;
  return "PodGroup " + group.namespace_name + "/" + group.name + " (" +
         (native ? "scheduling.k8s.io" : "scheduling.x-k8s.io") + ")";
}

// Reads one pod. Each of the functions Try... reads one way to name a group and
// says whether the pod uses it.
class Reader {
 public:
  // A cache of null: nothing of what the pod refers to is known.
  Reader(const cluster::Pod& pod, const cluster::ClusterCache* cache)
      : pod_(pod),
        cache_(cache),
        labels_{LonePodGroup(pod), 1, "default", ""},
        our_size_(Find(pod.labels, kGroupSizeLabel)) {}

  GroupLabels Read() {
    if (!TryOurs() && !TryFluence() && !TryCoscheduling() && !TryNative() &&
        !TryJob() && !TryFluenceOfJob() && our_size_ != nullptr)
      ReadLoneSize();
    ReadQueue();
    if (!labels_.refused.empty()) labels_.group_size.reset();
    return std::move(labels_);
  }

 private:
  void Refuse(std::string why) {
    if (labels_.refused.empty()) labels_.refused = std::move(why);
  }

  void SetName(const std::string& place, const std::string& name) {
    std::string why = WhyNoGroupName(place, name);
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
    if (our_size_ != nullptr) SetSize(LabelCalled(kGroupSizeLabel), *our_size_);
    return true;
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

  // A Kubernetes Job without marks is not known, or not yet.
  void SetSizeOfJob() {
    if (!IsOfJob() || cache_ == nullptr) return;
    const auto job = cache_->MarksOfJob(pod_.controller->uid);
    if (job == nullptr) {
      Refuse("label " + std::string(kFluenceNameLabel) +
             " comes without a size, and the Job " + pod_.controller->name +
             " cannot be read; it must be accompanied by " +
             std::string(kFluenceSizeLabel));
      return;
    }
    SetSizeFromParallelism(*job);
  }
  void SetSizeFromParallelism(const cluster::JobMarks& job) {
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
    if (native && !group->min_members && !group->unknown_policy) return;
    labels_.group_name = name.name;
    if (group->unknown_policy) {
      Refuse(NameOf(name) +
             " has a scheduling policy that is neither gang nor basic");
    } else if (!group->min_members || *group->min_members < 1) {
      Refuse(NameOf(name) + " has no " + (native ? "minCount" : "minMember") +
             " from 1 on");
    } else {
      labels_.group_size = group->min_members;
      CheckOurSize(NameOf(name));
    }
  }

  bool IsOfJob() const {
    return pod_.controller && pod_.controller->kind == "Job";
  }

  bool TryJob() {
    if (our_size_ == nullptr || !IsOfJob()) return false;
    std::optional<std::int32_t> size = 1;
    Refuse(ReadSize(LabelCalled(kGroupSizeLabel), *our_size_, size));
    if (!labels_.refused.empty()) return true;
    if (*size == 1) return false;
    labels_.group_size = size;
    labels_.group_name = pod_.controller->name;
    return true;
  }

  bool TryFluenceOfJob() {
    if (!IsOfJob() || cache_ == nullptr) return false;
    const auto job = cache_->MarksOfJob(pod_.controller->uid);
    if (job == nullptr) return false;
    const std::string* const name = Find(job->marks, kFluenceNameLabel);
    if (name == nullptr) return false;
    const std::string of = " of Job " + pod_.controller->name;
    SetName("label " + std::string(kFluenceNameLabel) + of, *name);
    if (const std::string* size = Find(job->marks, kFluenceSizeLabel)) {
      SetSize("label " + std::string(kFluenceSizeLabel) + of, *size);
    } else {
      SetSizeFromParallelism(*job);
    }
    return true;
  }

  void ReadLoneSize() {
    SetSize(LabelCalled(kGroupSizeLabel), *our_size_);
    if (labels_.group_size > 1)
      Refuse(Refusal(
          LabelCalled(kGroupSizeLabel), *our_size_, "the pod names no group",
          "accompanied by the label " + std::string(kGroupNameLabel)));
  }

  // Somebody else has said the size.
  void CheckOurSize(const std::string& by) {
    if (our_size_ == nullptr || !labels_.refused.empty()) return;
    std::optional<std::int32_t> size;
    Refuse(ReadSize(LabelCalled(kGroupSizeLabel), *our_size_, size));
    if (size && size != labels_.group_size)
      Refuse(Refusal(LabelCalled(kGroupSizeLabel), *our_size_,
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
  GroupLabels labels_;
  const std::string* const our_size_;
};

}  // namespace

std::string LonePodGroup(const cluster::Pod& pod) {
  return "fluxnetes-group-" + pod.namespace_name + "-" + pod.name;
}

GroupLabels ReadGroupLabels(const cluster::Pod& pod,
                            const cluster::ClusterCache& cache) {
  return Reader(pod, &cache).Read();
}

std::string WhyLabelsAreRefused(const cluster::Pod& pod, bool of_job) {
  if (!of_job) return Reader(pod, nullptr).Read().refused;
  cluster::Pod copy = pod;
  copy.controller = cluster::Owner{"Job", "job", ""};
  return Reader(copy, nullptr).Read().refused;
}

}  // namespace fluxnetes::workers
