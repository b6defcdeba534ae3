#include "services/submit/short_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cluster/objects/job_annotations.h"
#include "workers/pods/group_labels.h"
#include "workers/simulation/manifest_scenario.h"

namespace fluxnetes::services {
namespace {

// What one manifest makes for a group.
struct Pods {
  int at_once = 0;
  int in_all = 0;

  std::int64_t InRound(std::int64_t round) const {
    return std::clamp<std::int64_t>(in_all - round * at_once, 0, at_once);
  }
  int LastRound() const {
    return at_once == 0 ? 0 : std::max(0, (in_all - 1) / at_once);
  }
};

struct Group {
  std::string name;
  std::int32_t size = 0;
  std::size_t first = 0;  // the number of its first manifest
  std::vector<Pods> makers;

  std::int64_t InRound(std::int64_t round) const {
    std::int64_t pods = 0;
    for (const Pods& maker : makers) pods += maker.InRound(round);
    return pods;
  }
};

// The pod of a manifest as its controller would make it, and how many.
struct Work {
  cluster::Pod pod;
  Pods pods;
};

Work WorkOf(const cluster::KubernetesJob& job) {
  Work work{job.pod_template.pod,
            {job.parallelism, job.completions.value_or(job.parallelism)}};
  work.pod.namespace_name = job.namespace_name;
  work.pod.controller = cluster::Owner{"Job", job.name, "job"};
  return work;
}

// The cache has the labels of the pod's Job alone.
workers::GroupLabels LabelsOf(const cluster::Manifest& manifest,
                              const cluster::Pod& pod) {
  cluster::ClusterCache cache;
  if (pod.controller) {
    auto job = cluster::AnnotationsOf(
        std::get<cluster::KubernetesJob>(manifest.object));
    job.uid = pod.controller->uid;
    const cluster::WatchEvent event{
        .object =
            std::make_shared<const cluster::JobAnnotations>(std::move(job))};
    cache.Apply({&event, 1});
  }
  return workers::ReadGroupTerms(pod, cache, nullptr);
}

ShortGroup WhatIsShort(const Group& group, const std::string& place) {
  const auto too_few = [&](std::int64_t pods) {
    return workers::TooFewPods(place, static_cast<std::size_t>(pods),
                               group.size, group.name);
  };
  if (const auto pods = group.InRound(0); pods < group.size) {
    std::int64_t in_all = 0;
    for (const Pods& maker : group.makers) in_all += maker.in_all;
    if (in_all < group.size)
      return {too_few(in_all) + "; it waits for the others", true};
    return {too_few(pods) + "; no more are made at the same time", false};
  }
  std::set<int> last_rounds;
  for (const Pods& maker : group.makers) last_rounds.insert(maker.LastRound());
  for (const int round : last_rounds) {
    const std::int64_t pods = group.InRound(round);
    if (pods < group.size)
      return {too_few(pods) + workers::kStartsSmaller, false};
  }
  return {};
}

}  // namespace

std::vector<ShortGroup> ShortGroups(
    std::span<const cluster::Manifest> manifests,
    const cluster::SchedulerNames& schedulers) {
  std::map<std::string, Group> groups;  // by name
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    Work work;
    if (const auto* pod =
            std::get_if<cluster::PodTemplate>(&manifests[i].object)) {
      work = {pod->pod, {1, 1}};
    } else if (const auto* job =
                   std::get_if<cluster::KubernetesJob>(&manifests[i].object)) {
      work = WorkOf(*job);
    }
    if (work.pods.at_once == 0 || !schedulers.Contain(work.pod.scheduler_name))
      continue;
    const auto labels = LabelsOf(manifests[i], work.pod);
    if (labels.group_size.value_or(1) == 1) continue;
    const std::string name = work.pod.namespace_name + "/" + labels.group_name;
    const auto group =
        groups.try_emplace(name, Group{name, *labels.group_size, i, {}}).first;
    group->second.makers.push_back(work.pods);
  }
  std::vector<ShortGroup> found(manifests.size());
  for (const auto& [name, group] : groups)
    found[group.first] = WhatIsShort(group, manifests[group.first].place);
  return found;
}

}  // namespace fluxnetes::services
