// The labels and annotations by which a Kubernetes Job (batch/v1) instructs the
// scheduler about its pods, which may lack them. Only Jobs with some have a
// JobAnnotations.
//
// Tests: tests/workers/pods/group_sources_test.cc,
// tests/cluster/simulated/simulated_jobs_test.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cluster/objects/kubernetes_job.h"

namespace fluxnetes::cluster {

struct JobAnnotations {
  std::string uid;
  std::string resource_version;
  // Those of Fluence (fluence.flux-framework.org/...) and fluxnetes.jobspec, on
  // the Job and on its pod template, labels included. A label overrides an
  // annotation, the template overrides the Job.
  std::map<std::string, std::string> annotations;
  int parallelism = 1;
  bool operator==(const JobAnnotations&) const = default;
};

// Whether a label or annotation of this name is one of them.
inline bool IsJobAnnotation(std::string_view name) {
  return name.starts_with("fluence.flux-framework.org/") ||
         name == "fluxnetes.jobspec";
}

// Those of a Job, without its UID and version.
inline JobAnnotations AnnotationsOf(const KubernetesJob& job) {
  JobAnnotations result;
  result.parallelism = job.parallelism;
  const auto add = [&result](const auto& marks) {
    for (const auto& [name, value] : marks)
      if (IsJobAnnotation(name)) result.annotations.emplace(name, value);
  };
  add(job.pod_template.pod.labels);
  add(job.pod_template.pod.annotations);
  add(job.labels);
  add(job.annotations);
  return result;
}

}  // namespace fluxnetes::cluster
