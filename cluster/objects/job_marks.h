// The labels and annotations by which a Kubernetes Job (batch/v1) instructs the
// scheduler about its pods, which may lack them. Only Jobs with such marks have
// a JobMarks.
#pragma once

#include <map>
#include <string>

namespace fluxnetes::cluster {

struct JobMarks {
  std::string uid;
  std::string resource_version;
  // The marks of Fluence (fluence.flux-framework.org/...) on the Job and on its
  // pod template. A label overrides an annotation, the template overrides the
  // Job.
  std::map<std::string, std::string> marks;
  int parallelism = 1;
  bool operator==(const JobMarks&) const = default;
};

}  // namespace fluxnetes::cluster
