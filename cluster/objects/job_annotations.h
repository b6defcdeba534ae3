// The labels and annotations by which a Kubernetes Job (batch/v1) instructs the
// scheduler about its pods, which may lack them. Only Jobs with some have a
// JobAnnotations.
//
// Tests: tests/workers/pods/group_sources_test.cc.
#pragma once

#include <map>
#include <string>

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

}  // namespace fluxnetes::cluster
